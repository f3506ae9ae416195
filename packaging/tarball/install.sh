#!/bin/sh
# Installs pressured from its release tarball, or removes it.
# usage: install.sh [--prefix=/usr/local] [--destdir=DIRECTORY] [--uninstall]
# With --destdir nothing but files is written, as packages need it. Removing keeps the configuration and the calibrations.
set -eu

refuse() {
  echo "install.sh: unknown option $1; a directory must be absolute and a plain name, as in --prefix=/usr/local" >&2
  exit 64
}

prefix=/usr/local destdir='' action=install
for word in "$@"; do
  case $word in
    # Nothing that sed, or a unit, would interpret.
    --prefix=*[!A-Za-z0-9/._+-]*) refuse "$word" ;;
    --prefix=/*) prefix=${word#*=} ;;
    --destdir=/*) destdir=${word#*=} ;;
    --uninstall) action=uninstall ;;
    -h | --help)
      sed -n '2,4s/^# //p' "$0"
      exit 0
      ;;
    *) refuse "$word" ;;
  esac
done
cd "$(dirname "$0")"
live=$([ -z "$destdir" ] && echo yes || echo no)

if [ "$live" = yes ] && [ "$(id -u)" != 0 ]; then
  echo "install.sh: only root may install below $prefix; run it with sudo, or give --destdir" >&2
  exit 77
fi
# systemd and udev look into no other directories.
case $prefix in
  /usr | /usr/local) ;;
  *)
    if [ "$live" = yes ]; then
      echo "install.sh: systemd and udev do not look below $prefix; give --prefix=/usr/local or --prefix=/usr, or --destdir" >&2
      exit 64
    fi
    ;;
esac
has_systemd() { [ "$live" = yes ] && [ -d /run/systemd/system ]; }
update_devices() {
  if [ "$live" = yes ] && [ -S /run/udev/control ]; then
    udevadm control --reload || true
    udevadm trigger --action=change --subsystem-match=input --sysname-match='event*' --settle || true
    udevadm trigger --action=change --subsystem-match=hidraw --settle || true
  fi
}
# No device keeps an entry for a service that is gone.
revoke_access() {
  [ "$live" = yes ] && command -v setfacl >/dev/null || return 0
  for node in /dev/input/event*; do
    setfacl -x g:_pressured "$node" 2>/dev/null || continue
    # A mask is of use only where other entries are left, and then it stays.
    setfacl -x m "$node" 2>/dev/null || true
  done
  for node in /dev/hidraw*; do
    setfacl -x g:_pressured-pad "$node" 2>/dev/null || continue
    setfacl -x m "$node" 2>/dev/null || true
  done
}
# What this or another version has installed here, by the list that it left.
list=share/doc/pressured/installed-files
remove_files() {
  { cat MANIFEST "$destdir$prefix/$list" 2>/dev/null || true; } | while read -r _ name; do
    case /$name/ in
      */../*) ;;
      *) rm -f "$destdir$prefix/$name" ;;
    esac
  done
}

if [ "$action" = uninstall ]; then
  if has_systemd; then
    systemctl disable --now pressured.socket pressured.service pressured-pad-resume.service 2>/dev/null || true
    systemctl stop 'pressured-pad@*.socket' 'pressured-pad@*.service' || true
  fi
  remove_files
  rm -f "$destdir$prefix/$list"
  # Only directories that are empty now and that nobody else uses.
  find "$destdir$prefix/share/doc/pressured" -depth -type d -exec rmdir {} + 2>/dev/null || true
  if has_systemd; then systemctl daemon-reload; fi
  update_devices
  revoke_access
  echo 'pressured is removed. These remain, if they exist: /etc/pressured, /var/lib/pressured, /var/lib/pressured-pad,
the users _pressured and _pressured-pad, the group pressured'
  exit 0
fi

# Before anything is written. The program's own message would name one library at a time.
if [ "$live" = yes ]; then
  missing=$(ldd files/bin/pressured 2>&1 | grep -E 'not found|not a dynamic|^Error ' | sort -u || true)
  if [ -n "$missing" ]; then
    echo "install.sh: the program cannot run here:" >&2
    echo "$missing" >&2
    echo 'Needed are glibc 2.35, libevdev, libsystemd and libyaml, on this processor. With apt: libevdev2 libsystemd0 libyaml-0-2
With dnf: libevdev systemd-libs libyaml. With pacman: libevdev systemd-libs libyaml.' >&2
    exit 69
  fi
  for program in setfacl systemctl udevadm; do
    command -v "$program" >/dev/null || echo "install.sh: $program is missing; without it the service cannot read devices" >&2
  done
fi

while read -r mode name; do
  target=$destdir$prefix/$name
  mkdir -p "$(dirname "$target")"
  # A running program's file cannot be overwritten, but replaced.
  case $name in
    *.service | *.rules) sed "s|/usr/bin/pressured|$prefix/bin/pressured|" "files/$name" >"$target.new" ;;
    *) cp "files/$name" "$target.new" ;;
  esac
  chmod "$mode" "$target.new"
  mv -f "$target.new" "$target"
done <MANIFEST
# An earlier version may have had files that this one does not have.
if [ -e "$destdir$prefix/$list" ]; then
  while read -r _ name; do
    cut -d ' ' -f 2- MANIFEST | grep -qxF "$name" || rm -f "$destdir$prefix/$name"
  done <"$destdir$prefix/$list"
fi
cp MANIFEST "$destdir$prefix/$list"
chmod 644 "$destdir$prefix/$list"

if has_systemd; then
  systemd-sysusers "$prefix/lib/sysusers.d/pressured.conf"
  systemd-tmpfiles --create "$prefix/lib/tmpfiles.d/pressured.conf"
  systemctl daemon-reload
  update_devices
  systemctl enable --now pressured.socket
  systemctl enable pressured-pad-resume.service
  systemctl try-restart pressured.service
fi
[ "$live" = no ] || echo "pressured is installed below $prefix; try: pressured devices"
