-- Gives their turns to jobs that another version of the service queued or started, and forgets in `running` what has ended
-- there, and in `quick-ready` what is not ready: after a call every queued job is ready or due, and `running` says what runs.
-- Changes nothing otherwise.
-- KEYS[1] root   ARGV: none
-- Answers how many jobs were adopted.
-- @include "job.lua"
local root, accounts, adopted = KEYS[1], {}, 0
local known = redis.call('ZCARD', root .. ':due') - redis.call('SCARD', root .. ':processing')
for _, account in ipairs(redis.call('ZRANGE', root .. ':turns', 0, -1)) do
  accounts[account] = true
  known = known + redis.call('ZCARD', root .. ':ready:' .. account)
end
for _, id in ipairs(redis.call('SMEMBERS', root .. ':processing')) do
  local account = job_fields(root, id, 'account')[1] or ''
  accounts[account] = true
  adopted = adopted + redis.call('SADD', root .. ':running:' .. account, id)
end
-- Looking at 10,000 jobs takes 0.1 s, so that is done only when some are neither ready nor due.
local queued = redis.call('ZCARD', root .. ':queued') == known and {} or redis.call('ZRANGE', root .. ':queued', 0, -1)
for _, id in ipairs(queued) do
  local job = job_fields(root, id, 'account', 'created_at')
  local account = job[1] or ''
  accounts[account] = true
  if not redis.call('ZSCORE', root .. ':due', id) and not redis.call('ZSCORE', root .. ':ready:' .. account, id) then
    make_ready(root, id, account, whole(job[2]))
    adopted = adopted + 1
  end
end
for _, account in ipairs(redis.call('ZRANGE', root .. ':quick-turns', 0, -1)) do accounts[account] = true end
for account in pairs(accounts) do
  for _, id in ipairs(redis.call('ZRANGE', root .. ':quick-ready:' .. account, 0, -1)) do
    if not redis.call('ZSCORE', root .. ':ready:' .. account, id) then leave_ready(root, id, account) end
  end
  for _, id in ipairs(redis.call('SMEMBERS', root .. ':running:' .. account)) do
    if redis.call('SISMEMBER', root .. ':processing', id) == 0 then
      redis.call('SREM', root .. ':running:' .. account, id)
    end
  end
  set_turn(root, account)
end
return adopted
