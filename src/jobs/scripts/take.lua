-- Starts an attempt. A worker calls it with what Bull delivered; a delivery that came twice, too late, or for a
-- job that has ended is refused. When the job is running already, Bull has taken its worker for dead. As Bull's locks
-- also expire while Redis is stopped, only the lease counts for two leases after that (`stood-still`).
-- KEYS[1] root   ARGV: id, dispatch, token of this call, lease ms, most attempts, running limit, record ttl ms
-- Sending the same call again, after a lost connection, answers the same.
-- Answers {'taken', fence}: from now on only the attempt with this fencing token may write;
--         {'refused'};  {'ended'}: it has been cancelled, or has lost its worker too often.
-- @include "../../accounts/scripts/money.lua"
-- @include "job.lua"
local root, id, now = KEYS[1], ARGV[1], now_ms()
local settings = { running_limit = tonumber(ARGV[6]), record_ttl_ms = ARGV[7] }
local key = job_key(root, id)
local job = job_fields(root, id, 'status', 'dispatch', 'attempts', 'account', 'cancel_requested', 'token', 'fence')
local status, account = job[1], job[4] or ''
if (status ~= 'queued' and status ~= 'processing') or whole(job[2]) ~= tonumber(ARGV[2]) then return { 'refused' } end
if status == 'processing' and job[6] == ARGV[3] then return { 'taken', whole(job[7]) } end

if job[5] == '1' then
  end_job(root, id, 'canceled', 0, settings)
  return { 'ended' }
end
if status == 'processing' then
  local stood_still = redis.call('EXISTS', root .. ':stood-still') == 1
  local leased = tonumber(redis.call('ZSCORE', root .. ':due', id) or 0) > now
  if stood_still and leased then return { 'refused' } end
  local lost = lose(root, id)
  if whole(job[3]) >= tonumber(ARGV[5]) then
    fail_lost(root, id, lost, settings)
    return { 'ended' }
  end
end
leave_queue(root, id, account)
redis.call('SADD', root .. ':processing', id)
redis.call('HSETNX', key, 'started_at', now)
redis.call('HSET', key, 'status', 'processing', 'progress', '', 'token', ARGV[3])
add(root, id, 'attempts', 1)
redis.call('ZADD', root .. ':due', now + ARGV[4], id)
announce(root, id, 'processing')
return { 'taken', add(root, id, 'fence', 1) }
