{ lib
, stdenv
, swift
, swiftpm
, swiftPackages
, pkg-config
, python3
, scdoc
, acl
, libevdev
, libyaml
, systemd
, swift-argument-parser
}:

stdenv.mkDerivation {
  pname = "pressured";
  version = lib.head (builtins.match ''.*current = "([^"]+)".*'' (builtins.readFile ../../Sources/PressureSystem/Version.swift));
  src = lib.cleanSource ../..;

  strictDeps = true;
  nativeBuildInputs = [ pkg-config python3 scdoc swift swiftpm ];
  buildInputs = [ libevdev libyaml systemd swiftPackages.Foundation ];

  PRESSURED_ARGUMENT_PARSER = swift-argument-parser;

  postPatch = ''
    patchShebangs scripts
    substituteInPlace systemd/70-pressured.rules systemd/71-pressured-pad.rules --replace /bin/setfacl ${acl}/bin/setfacl
  '';

  # Not below a home directory, which a build does not have.
  preBuild = "export HOME=$TMPDIR";
  buildPhase = ''
    runHook preBuild
    scripts/build-release
    scripts/finish
    runHook postBuild
  '';

  # The list of files is the project's own.
  installFlags = [ "prefix=${placeholder "out"}" ];

  # It is stripped by its own build.
  dontStrip = true;

  meta = {
    description = "Touch pressure daemon and tools";
    homepage = lib.fileContents ../address;
    license = with lib.licenses; [ mit asl20 ];
    platforms = [ "x86_64-linux" "aarch64-linux" ];
    mainProgram = "pressured";
  };
}
