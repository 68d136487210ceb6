-- Ends an attempt that has stored its result: outcome, capture, ledger and cache entry in one step, if the
-- attempt still owns the job. A job whose cancelling was asked for is cancelled, not charged.
-- KEYS[1] root
-- ARGV: id, fence, outcome (JSON), progress (JSON), result ttl ms, running limit, record ttl ms
-- Answers 'succeeded' (also when sent again), 'canceled' or 'lost'. Unless 'succeeded', the file belongs to no one.
-- @include "../../accounts/scripts/money.lua"
-- @include "job.lua"
local root, id = KEYS[1], ARGV[1]
local settings = { running_limit = tonumber(ARGV[6]), record_ttl_ms = ARGV[7] }
local job = job_fields(root, id, 'status', 'fence', 'cancel_requested', 'held', 'fingerprint', 'outcome')
if job[1] == 'succeeded' and job[2] == ARGV[2] and job[6] == ARGV[3] then return 'succeeded' end
if job[1] ~= 'processing' or job[2] ~= ARGV[2] then return 'lost' end
if job[3] == '1' then
  end_job(root, id, 'canceled', 0, settings)
  return 'canceled'
end
end_job(root, id, 'succeeded', tonumber(job[4]), settings,
  { 'outcome', ARGV[3], 'progress', ARGV[4], 'expires_at', now_ms() + ARGV[5] })
redis.call('SET', root .. ':cache:' .. job[5], id, 'PX', ARGV[5])
return 'succeeded'
