-- Events for webhooks. An entry is written by the script that makes it true, and stays until a deliverer has put
-- what follows from it into its queue (src/webhooks).
--   <root>:outbox           zset of entry ids by when a deliverer may take them (ms)
--   <root>:outbox:entries   hash: id -> JSON, see OutboxEntry in src/webhooks/outbox.ts
--   <root>:outbox:count     how many there ever were
--   <root>:subscribed:<account>:<type>   set of the ids of the endpoints that are told events of this type
--   <root>:callbacks:<job>  hash: id of a request that made or joined the unfinished job -> JSON, see Callback in
--                           src/jobs/submit/submission.ts; only of requests that have something to be told or told back
--   <root>:progress-told:<job>   there for as long as no further progress of the job is told

local function put_in_outbox(root, now, entry)
  local id = string.format('%.0f.%.0f', now, redis.call('INCR', root .. ':outbox:count'))
  redis.call('ZADD', root .. ':outbox', now, id)
  redis.call('HSET', root .. ':outbox:entries', id, cjson.encode(entry))
end

local function wants(callback, event)
  for _, wanted in ipairs(cjson.decode(callback).events) do
    if wanted == event then return true end
  end
  return false
end

-- An event of a job, if any receiver is to get it. event: such as 'job.succeeded'
local function tell(root, now, id, account, event)
  local endpoints = redis.call('SMEMBERS', root .. ':subscribed:' .. account .. ':' .. event)
  local callbacks = redis.call('HVALS', root .. ':callbacks:' .. id)
  local is_wanted = #endpoints > 0
  for _, callback in ipairs(callbacks) do is_wanted = is_wanted or wants(callback, event) end
  if not is_wanted then return end
  -- As text: cjson writes an empty list as {}.
  put_in_outbox(root, now, { kind = 'event', type = event, at = now, job = id,
    endpoints = table.concat(endpoints, ' '), callbacks = '[' .. table.concat(callbacks, ',') .. ']' })
end
