#!/bin/sh
# Prints the weight of the heaviest contact whenever it changes, so that the last line is what it settled at; ≈ marks an
# estimate. The event "heaviest" has only the weight at the moment at which another contact became the heaviest. Requires socat and jq.
# usage: heaviest.sh [SOCKET]
socket=${1:-${PRESSURED_SOCKET:-/run/pressured/pressured.sock}}

socat -u UNIX-CONNECT:"$socket" - | jq --unbuffered -rn '
  def text($source):
    .heaviest as $heaviest | [.contacts[] | select(.contact == $heaviest)][0]
    | if . == null then "none"
      elif .grams == null then "\(.contact)"
      else "\(.contact) with \(if $source == "nominal" then "≈ " else "" end)\(.grams) g" end;
  foreach inputs as $line ({};
    .new = null
    | if $line.event == "device" then .sources[$line.device] = $line.weight_source
      elif $line.event == "weight" then
        .sources[$line.device] as $source | ($line | text($source)) as $text
        | if .shown[$line.device] == $text then . else .shown[$line.device] = $text | .new = $text end
      else . end;
    .new // empty)'
