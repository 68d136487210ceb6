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

-- What a job takes in all, in ms; nil when the speed of its release is not known. `speeds`: those that were read before.
local function expected_ms(root, id, speeds)
  local job = job_fields(root, id, 'release', 'estimated')
  local release = job[1] or ''
  local speed = speeds[release] or tonumber(redis.call('HGET', root .. ':speeds', release) or '')
  if not speed then return nil end
  speeds[release] = speed
  return speed * whole(job[2])
end

-- What a running job still takes, in ms: by its own progress, once that tells; nil when nothing is known.
local function left_ms(root, id, speeds)
  local job = job_fields(root, id, 'progress', 'started_at')
  local is_read, progress = pcall(cjson.decode, job[1] or '')
  local eta = is_read and type(progress) == 'table' and tonumber(progress.eta_seconds)
  if eta then return eta * 1000 end
  local takes = expected_ms(root, id, speeds)
  return takes and math.max(0, takes - (now_ms() - whole(job[2])))
end
