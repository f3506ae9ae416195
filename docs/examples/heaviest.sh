#!/bin/sh
# Prints the heaviest contact whenever it changes; ≈ marks an estimate. Requires socat and jq.
# usage: heaviest.sh [SOCKET]
socket=${1:-${PRESSURED_SOCKET:-/run/pressured/pressured.sock}}

socat -u UNIX-CONNECT:"$socket" - | jq --unbuffered -rn '
  foreach inputs as $line ({};
    if $line.event == "device" then .[$line.device] = $line.weight_source else . end;
    . as $sources | $line | select(.event == "heaviest")
    | if .contact == null then "none"
      elif .grams == null then "\(.contact)"
      else "\(.contact) with \(if $sources[.device] == "nominal" then "≈ " else "" end)\(.grams) g" end)'
