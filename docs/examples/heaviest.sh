#!/bin/sh
# Says which contact is the heaviest, whenever it is another one. Needs socat and jq.
# usage: heaviest.sh [SOCKET]
socket=${1:-${PRESSURED_SOCKET:-/run/pressured/pressured.sock}}

socat -u UNIX-CONNECT:"$socket" - | jq --unbuffered -r '
  select(.event == "heaviest")
  | if .contact == null then "nobody" else "\(.contact) with \(.grams // "?") g" end'
