-- How fast each release works, as its jobs have shown: <root>:speeds is a hash of ms per credit by release. A credit is
-- about as much work for any job of one release, as prices go by pixels and seconds.
-- After job.lua.

-- The latest job counts a quarter, the one before three quarters of that, and so on.
local function learn_speed(root, release, credits, took_ms)
  if credits <= 0 or took_ms <= 0 then return end
  local before = tonumber(redis.call('HGET', root .. ':speeds', release) or '')
  local speed = took_ms / credits
  if before then speed = before + (speed - before) / 4 end
  redis.call('HSET', root .. ':speeds', release, string.format('%.1f', speed))
end

-- What a job takes in all, in ms, and when it started (ms since 1970); nil when the speed of its release is not known.
-- `speeds`: those that were read before.
local function expected_ms(root, id, speeds)
  local job = job_fields(root, id, 'release', 'estimated', 'started_at')
  local release = job[1] or ''
  local speed = speeds[release] or tonumber(redis.call('HGET', root .. ':speeds', release) or '')
  if not speed then return nil end
  speeds[release] = speed
  return speed * whole(job[2]), whole(job[3])
end
