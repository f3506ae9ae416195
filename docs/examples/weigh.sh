#!/bin/sh
# Waits for a stable reading and prints it in grams; fails after a timeout. Requires socat and jq.
# usage: weigh.sh [SOCKET]
socket=${1:-${PRESSURED_SOCKET:-/run/pressured/pressured.sock}}

grams=$(echo '{"do":"weigh","timeout_ms":10000}' | socat -t 15 - UNIX-CONNECT:"$socket" |
  jq 'select(.event == "reply") | .result.grams // empty')
[ -n "$grams" ] && echo "$grams"
