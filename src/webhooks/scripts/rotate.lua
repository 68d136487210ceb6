-- Takes another seed for a secret; the one before it stays good for a while.
-- KEYS[1] root   ARGV: name of the hash that holds the seeds (below the root), new seed, overlap ms, '1' where the hash must exist
-- Answers 1, also when the same call is sent again; 0 when there is no such hash.
-- @include "webhook.lua"
local key, now = KEYS[1] .. ':' .. ARGV[1], now_ms()
if ARGV[4] == '1' and redis.call('EXISTS', key) == 0 then return 0 end
local seed = redis.call('HGET', key, 'seed') or ''
if seed == ARGV[2] then return 1 end
redis.call('HSET', key, 'seed', ARGV[2], 'previous_seed', seed, 'previous_until', now + ARGV[3])
return 1
