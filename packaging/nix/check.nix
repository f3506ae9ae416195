# A stand-in for the parts of nixpkgs that the flake uses; see `check`.
let
  lib = {
    head = builtins.head;
    fileContents = path: builtins.head (builtins.match "([^\n]*)\n?" (builtins.readFile path));
    cleanSource = path: path;
    genAttrs = names: function: builtins.listToAttrs (map (name: { inherit name; value = function name; }) names);
    mkDefault = value: value;
    mkEnableOption = description: { option = "bool"; inherit description; };
    mkOption = option: option;
    mkIf = condition: value: if condition then value else { };
    types = { package = "package"; attrs = "attrs"; bool = "bool"; };
    licenses = { mit = "MIT"; asl20 = "Apache-2.0"; };
  };
  # Everything that the package asks for by name must exist here; what is not in nixpkgs is not in this list either.
  pkgs = {
    inherit lib;
    stdenv = {
      mkDerivation = attributes: attributes;
      hostPlatform.system = "x86_64-linux";
    };
    swift = "swift"; swiftpm = "swiftpm"; swiftPackages.Foundation = "Foundation"; pkg-config = "pkg-config"; python3 = "python3";
    scdoc = "scdoc"; acl = "/acl"; libevdev = "libevdev"; libyaml = "libyaml"; systemd = "systemd";
    writeText = name: text: text;
    callPackage = path: others:
      let function = import path;
      in function (builtins.intersectAttrs (builtins.functionArgs function) pkgs // others);
  };
  flake = import ../../flake.nix;
  self = flake.outputs {
    inherit self;
    nixpkgs = { inherit lib; legacyPackages = { x86_64-linux = pkgs; aarch64-linux = pkgs; }; };
    swift-argument-parser = "/parser";
  };
  default = self.nixosModules.default { inherit pkgs lib; };
  evaluated = import (builtins.head default.imports) {
    inherit lib pkgs;
    config.services.pressured = {
      enable = true;
      package = default.services.pressured.package;
      settings.access.users = [ "kiosk" ];
      bindings = true;
    };
  };
  package = self.packages.aarch64-linux.default;
in
{
  inherit (package) pname version nativeBuildInputs buildInputs installFlags meta;
  options = builtins.attrNames evaluated.options.services.pressured;
  configuration = evaluated.config.environment.etc."pressured/config.yaml".source;
  units = builtins.attrNames
    (evaluated.config.systemd.sockets // evaluated.config.systemd.services // evaluated.config.systemd.user.services);
  inherit (evaluated.config.users) users;
}
