#!/bin/sh
# A copy of a running Redis at one moment, while it goes on working: all keys, credits, ledgers and job records.
# usage: backup-redis.sh FILE [-h HOST] [-p PORT]     (a password in REDISCLI_AUTH)
set -eu
file=$1
shift
umask 077
# Redis sends the copy as to a replica, so it is of one moment. A copy that was cut off never gets the name.
redis-cli "$@" --rdb "$file.part"
sync "$file.part"
mv "$file.part" "$file"
