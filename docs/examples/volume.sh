#!/bin/sh
# Sets the volume by the force of a press with two fingers: the harder, the louder. The strongest moment of a press counts, so that
# lifting the fingers keeps the volume. Requires socat, jq and wpctl (WirePlumber).
# usage: volume.sh [SOCKET]
socket=${1:-${PRESSURED_SOCKET:-/run/pressured/pressured.sock}}

socat -u UNIX-CONNECT:"$socket" - | jq --unbuffered -rn '
  foreach (inputs | select(.event == "press" and .fingers == 2 and .simulated == false and .ratio != null)) as $press ({};
    ($press.ratio * 100 | floor) as $percent
    | if $press.state == "started" then .peak = 0 else . end
    | .new = if $percent > .peak then $percent else null end
    | .peak = ([.peak, $percent] | max);
    .new // empty)' |
  while read -r percent; do
    wpctl set-volume @DEFAULT_AUDIO_SINK@ "$percent%"
  done
