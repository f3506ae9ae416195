#!/bin/sh
# Unmutes the microphone while a press is deep, and mutes it at the start. Requires socat, jq and wpctl (WirePlumber).
# usage: push-to-talk.sh [SOCKET]
socket=${1:-${PRESSURED_SOCKET:-/run/pressured/pressured.sock}}

wpctl set-mute @DEFAULT_AUDIO_SOURCE@ 1
socat -u UNIX-CONNECT:"$socket" - | jq --unbuffered -rn '
  foreach (inputs | select(.event == "press")) as $press ({ mute: 1 };
    (if $press.state == "ended" or $press.state == "cancelled" or $press.stage != "deep" then 1 else 0 end) as $mute
    | .new = if $mute == .mute then null else $mute end | .mute = $mute;
    .new // empty)' |
  while read -r mute; do
    wpctl set-mute @DEFAULT_AUDIO_SOURCE@ "$mute"
  done
# The connection has ended.
wpctl set-mute @DEFAULT_AUDIO_SOURCE@ 1
