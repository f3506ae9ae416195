# services.pressured: the daemon with its socket, its user and its access to touch devices.
{ config, lib, pkgs, ... }:

let
  cfg = config.services.pressured;
  # YAML contains JSON.
  file = pkgs.writeText "pressured.yaml" (builtins.toJSON cfg.settings);
in
{
  options.services.pressured = {
    enable = lib.mkEnableOption "the touch pressure daemon, started by its first client";

    package = lib.mkOption {
      type = lib.types.package;
      description = "The package with the program and its units.";
    };

    settings = lib.mkOption {
      type = lib.types.attrs;
      default = { };
      example = { access.users = [ "kiosk" ]; };
      description = "The configuration, as in pressured-config(5).";
    };

    bindings = lib.mkOption {
      type = lib.types.bool;
      default = false;
      description = "Whether `pressured bind` runs in graphical sessions of users that have a bindings.yaml.";
    };
  };

  config = lib.mkIf cfg.enable {
    environment.systemPackages = [ cfg.package ];
    environment.etc = lib.mkIf (cfg.settings != { }) { "pressured/config.yaml".source = file; };

    # Units and rules are those of the package; NixOS enables no unit by its [Install] section.
    systemd.packages = [ cfg.package ];
    services.udev.packages = [ cfg.package ];
    systemd.tmpfiles.packages = [ cfg.package ];
    systemd.sockets.pressured.wantedBy = [ "sockets.target" ];
    systemd.user.services.pressured-bind.wantedBy = lib.mkIf cfg.bindings [ "graphical-session.target" ];
    # The sandbox permits only these programs, and all of them are in the store.
    systemd.services.pressured.serviceConfig.ExecPaths = [ "/nix/store" ];
    # The services of pads, which udev starts, and the one that sends their settings again.
    systemd.services."pressured-pad@".serviceConfig.ExecPaths = [ "/nix/store" ];
    systemd.services.pressured-pad-resume = {
      serviceConfig.ExecPaths = [ "/nix/store" ];
      wantedBy = [ "suspend.target" "hibernate.target" "hybrid-sleep.target" "suspend-then-hibernate.target" ];
    };

    users.groups.pressured = { };
    users.groups._pressured = { };
    users.groups._pressured-pad = { };
    users.users._pressured = {
      isSystemUser = true;
      group = "_pressured";
      description = "Touch pressure daemon";
    };
    users.users._pressured-pad = {
      isSystemUser = true;
      group = "_pressured-pad";
      description = "Settings of touchpads";
    };
  };
}
