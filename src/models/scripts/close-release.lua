-- Lets no new job name a release, if no unfinished job needs it.
-- KEYS[1] root   ARGV[1] the release (photo@r2), ARGV[2] its slot, ARGV[3] what is stored of the slot, as it was read ('' for nothing)
-- Answers how many unfinished jobs need it; the release is closed when there are none. -1 when something else is stored.
local root, ref, needed = KEYS[1], ARGV[1], 0
if (redis.call('HGET', root .. ':models', ARGV[2]) or '') ~= ARGV[3] then return -1 end
local function count(ids)
  for _, id in ipairs(ids) do
    local job = redis.call('HMGET', root .. ':job:' .. id, 'release', 'mirror')
    if job[1] == ref or job[2] == ref then needed = needed + 1 end
  end
end
count(redis.call('ZRANGE', root .. ':queued', 0, -1))
count(redis.call('SMEMBERS', root .. ':processing'))
if needed == 0 then redis.call('SADD', root .. ':models:closed', ref) end
return needed
