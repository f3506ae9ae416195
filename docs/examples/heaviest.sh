#!/bin/sh
# Says which contact is the heaviest, whenever it is another one; ≈ stands before an estimate. Needs socat and jq.
# usage: heaviest.sh [SOCKET]
socket=${1:-${PRESSURED_SOCKET:-/run/pressured/pressured.sock}}

socat -u UNIX-CONNECT:"$socket" - | jq --unbuffered -rn '
  foreach inputs as $line ({};
    if $line.event == "device" then .[$line.device] = $line.weight_source else . end;
    . as $sources | $line | select(.event == "heaviest")
    | if .contact == null then "nobody"
      elif .grams == null then "\(.contact)"
      else "\(.contact) with \(if $sources[.device] == "nominal" then "≈ " else "" end)\(.grams) g" end)'
