-- Generic cell rate algorithm: a bucket of `quota` requests that refills evenly over `window` ms.
-- KEYS[1]  the key prefix
-- ARGV     rate ("create" | "read"), id of the API key, quota, window in ms
-- Returns  allowed (1|0), remaining, ms until the bucket is full, ms until one more is allowed
-- One script, so that concurrent requests on several API processes never pass the quota.
local name = KEYS[1] .. ':rate:' .. ARGV[1] .. ':' .. ARGV[2]
local quota, window = tonumber(ARGV[3]), tonumber(ARGV[4])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local step = window / quota
-- When the bucket will be full again, in ms; without a key the bucket is full.
local full = math.max(tonumber(redis.call('GET', name) or now), now)
-- It takes one window at most. A later time was written before the clock was set back, and would refuse every request until
-- the clock is there again. (1 ms: the stored time is rounded.)
if full - now > window + 1 then full = now end

if full + step - now > window then
  return {0, 0, math.ceil(full - now), math.ceil(full + step - now - window)}
end

full = full + step
-- Neither on the disk nor on replicas: a Redis that starts anew gives whole buckets, and no call waits for the disk.
redis.set_repl(redis.REPL_NONE)
redis.call('SET', name, string.format('%.3f', full), 'PX', math.ceil(full - now))
return {1, math.floor((window - (full - now)) / step + 1e-6), math.ceil(full - now), 0}
