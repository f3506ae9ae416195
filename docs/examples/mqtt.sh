#!/bin/sh
# Publishes each line to an MQTT broker, under the topic pressured/HOST. Requires socat and mosquitto_pub.
# usage: mqtt.sh [MOSQUITTO_PUB OPTIONS]
socket=${PRESSURED_SOCKET:-/run/pressured/pressured.sock}

socat -u UNIX-CONNECT:"$socket" - | mosquitto_pub -l -t "pressured/$(uname -n)" "$@"
