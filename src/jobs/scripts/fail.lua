-- Ends a job without a result, if the attempt still owns it; the held credits are released.
-- KEYS[1] root   ARGV: id, fence, error (JSON, or '' when the job is being cancelled),
--                      record ttl ms
-- Answers 'failed', 'canceled' or 'lost'.
-- @include "../../accounts/scripts/money.lua"
-- @include "job.lua"
local root, id = KEYS[1], ARGV[1]
local settings = { record_ttl_ms = ARGV[4] }
local job = job_fields(root, id, 'status', 'fence', 'cancel_requested')
if job[1] ~= 'processing' or job[2] ~= ARGV[2] then return 'lost' end
if job[3] == '1' or ARGV[3] == '' then
  end_job(root, id, 'canceled', 0, settings)
  return 'canceled'
end
end_job(root, id, 'failed', 0, settings, { 'error', ARGV[3] })
return 'failed'
