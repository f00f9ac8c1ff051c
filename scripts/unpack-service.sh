#!/bin/sh
# usage: unpack-service.sh JAR FOLDER JAVA_HOME
#
# Unpacks the jar of the service to FOLDER and archives its classes there (app.jsa), unless both were done for this jar and
# this JDK before. A service that is started from there with
#   -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:SharedArchiveFile=FOLDER/app.jsa
# is up in a third of the time and takes a quarter of the processor's. Tests start many of them.
set -eu

jar=$1
folder=$2
java=$3/bin/java

made_for=$("$java" -version 2>&1 && cksum <"$jar")
if [ -f "$folder/app.jsa" ] && [ "$(cat "$folder/made-for" 2>/dev/null)" = "$made_for" ]; then
  exit 0
fi
rm -rf "$folder"
"$java" -Djarmode=tools -jar "$jar" extract --destination "$folder" >/dev/null
if ! "$java" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:ArchiveClassesAtExit="$folder/app.jsa" \
  -Dspring.context.exit=onRefresh -jar "$folder/tensor-service.jar" --server.address=127.0.0.1 --server.port=0 \
  >"$folder/archive.log" 2>&1 </dev/null; then
  tail -n 20 "$folder/archive.log" >&2
  echo "error: the classes of $jar were not archived, see $folder/archive.log" >&2
  exit 1
fi
printf '%s\n' "$made_for" >"$folder/made-for"
