-- The account's record at one moment, to be compared with its ledger up to the last entry of that moment.
-- KEYS[1] root   ARGV: account
-- Answers {balance, held, last ledger id, usage pairs, open hold pairs}.
-- @include "money.lua"
local root, account = KEYS[1], ARGV[1]
local last = redis.call('XREVRANGE', root .. ':ledger:' .. account, '+', '-', 'COUNT', 1)
return {
  account_number(root, account, 'balance'),
  account_number(root, account, 'held'),
  last[1] and last[1][1] or '',
  redis.call('HGETALL', root .. ':usage:' .. account),
  redis.call('HGETALL', root .. ':holds:' .. account),
}
