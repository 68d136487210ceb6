#!/bin/sh
# Makes the data folder of a Redis that does not run out of a copy by backup-redis.sh.
# usage: restore-redis.sh FILE FOLDER
set -eu
file=$1
folder=$2
for there in "$folder/appendonly.aof" "$folder/appendonlydir"; do
  if [ -e "$there" ]; then
    echo "expected no $there: move the old data away first" >&2
    exit 1
  fi
done
umask 077
mkdir -p "$folder"
# With appendonly on, Redis reads no other file at its start. An append-only file may begin with such a copy; Redis 7
# moves it into its folder appendonlydir.
cp "$file" "$folder/appendonly.aof"
