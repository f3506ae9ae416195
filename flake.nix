# Evaluated without network on Debian 12 (Nix 2.8) with a small stand-in for nixpkgs; see packaging/nix/check. Not tried: building it,
# NixOS, and nixpkgs' own swift, which may be older than 6.2 and then fails at once with `tools version`.
{
  description = "Touch pressure daemon and tools";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";
  inputs.swift-argument-parser = {
    url = "github:apple/swift-argument-parser/1.8.2";
    flake = false;
  };

  outputs = { self, nixpkgs, swift-argument-parser }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" ];
      each = function: nixpkgs.lib.genAttrs systems (system: function nixpkgs.legacyPackages.${system});
    in
    {
      packages = each (pkgs: rec {
        pressured = pkgs.callPackage ./packaging/nix/package.nix { inherit swift-argument-parser; };
        default = pressured;
      });

      nixosModules.default = { pkgs, lib, ... }: {
        imports = [ ./packaging/nix/module.nix ];
        services.pressured.package = lib.mkDefault self.packages.${pkgs.stdenv.hostPlatform.system}.pressured;
      };
    };
}
