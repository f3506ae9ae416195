#!/bin/sh
# Prints each reading of each contact as comma-separated values, at most 100 per second and device. Requires socat and jq.
# usage: csv.sh [SOCKET] >study.csv
socket=${1:-${PRESSURED_SOCKET:-/run/pressured/pressured.sock}}

echo time_us,device,contact,phase,x_mm,y_mm,force,grams
socat -u UNIX-CONNECT:"$socket" - | jq --unbuffered -r '
  select(.event == "weight") | . as $frame | .contacts[]
  | [$frame.time, $frame.device, .contact, .phase, .x_mm, .y_mm, .force, .grams] | @csv'
