#!/bin/sh
# Sets the volume by the force of a press with two fingers: the harder, the louder. The strongest moment of a press counts, so that
# lifting the fingers keeps the volume. Requires socat, jq and wpctl (WirePlumber).
# usage: volume.sh [SOCKET]
socket=${1:-${PRESSURED_SOCKET:-/run/pressured/pressured.sock}}

socat -u UNIX-CONNECT:"$socket" - | jq --unbuffered -rn '
  foreach (inputs | select(.event == "press")) as $press ({};
    # A press may start with one finger.
    if $press.state == "started" then .peak = 0 else . end
    | if $press.fingers == 2 and $press.simulated == false and $press.ratio != null
      then ($press.ratio * 100 | floor) as $percent
        | .new = if $percent > .peak then $percent else null end
        | .peak = ([.peak, $percent] | max)
      else .new = null end;
    .new // empty)' |
  while read -r percent; do
    wpctl set-volume @DEFAULT_AUDIO_SINK@ "$percent%"
  done
