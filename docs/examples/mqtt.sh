#!/bin/sh
# Sends each line to an MQTT broker, as the topic pressured/HOST. Needs socat and mosquitto_pub.
# usage: mqtt.sh [OPTIONS OF mosquitto_pub]
socket=${PRESSURED_SOCKET:-/run/pressured/pressured.sock}

socat -u UNIX-CONNECT:"$socket" - | mosquitto_pub -l -t "pressured/$(uname -n)" "$@"
