-- Ends an attempt that has stored its result: outcome, capture, ledger and cache entry in one step, if the
-- attempt still owns the job. A job whose cancelling was asked for is cancelled, not charged.
-- KEYS[1] root
-- ARGV: id, fence, outcome (JSON), progress (JSON), result ttl ms, fingerprint of the work that was done ('': that of
--       the record), record ttl ms
-- The work is not always that of the record: when the release that it names is gone, a job runs on another one.
-- Answers 'succeeded' (also when sent again), 'canceled' or 'lost'. Unless 'succeeded', the file belongs to no one.
-- @include "../../accounts/scripts/money.lua"
-- @include "job.lua"
-- @include "speeds.lua"
local root, id = KEYS[1], ARGV[1]
local settings = { record_ttl_ms = ARGV[7] }
local job = job_fields(root, id, 'status', 'fence', 'cancel_requested', 'held', 'fingerprint', 'outcome', 'attempts',
  'started_at', 'release', 'estimated')
if job[1] == 'succeeded' and job[2] == ARGV[2] and job[6] == ARGV[3] then return 'succeeded' end
if job[1] ~= 'processing' or job[2] ~= ARGV[2] then return 'lost' end
if job[3] == '1' then
  end_job(root, id, 'canceled', 0, settings)
  return 'canceled'
end
local fingerprint = ARGV[6] ~= '' and ARGV[6] or job[5] or ''
-- `started_at` is that of the first attempt, and `release` has not done the work when the fingerprint is another one.
if job[7] == '1' and fingerprint == job[5] then
  learn_speed(root, job[9] or '', whole(job[10]), now_ms() - whole(job[8]))
end
-- The record's fingerprint becomes that of its result, as erasing the job has to find the cache entry by it.
end_job(root, id, 'succeeded', whole(job[4]), settings,
  { 'outcome', ARGV[3], 'progress', ARGV[4], 'expires_at', now_ms() + ARGV[5], 'fingerprint', fingerprint })
if fingerprint ~= '' then redis.call('SET', root .. ':cache:' .. fingerprint, id, 'PX', ARGV[5]) end
return 'succeeded'
