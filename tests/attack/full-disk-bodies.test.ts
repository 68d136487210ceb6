import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { realRedis } from '../real/redis.ts';
import { tempDir } from '../real/run.ts';
import { skip } from '../real/skip.ts';
import { apiProcess, said } from './api-process.ts';

const test = suite('bodies on a disk that fills up');
const name =
  'an upload that the disk did not take whole is refused, and what was acknowledged is there';
const dir = tempDir('small-disk');

/** Whether a disk of 2 MB could be mounted there, which needs to be root. */
const mounted = (): boolean => {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', dir], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

if (mounted()) {
  // Before the folder is removed, however the test ends.
  process.prependOnceListener('exit', () => execFileSync('umount', ['-l', dir]));
  const api = await apiProcess({ DATA_DIR: dir, DISK_RESERVE_BYTES: '0' }, realRedis());
  test(name, async () => {
    const side = 250;
    const noise = { width: side, height: side, channels: 3 } as const;
    const png = await sharp(randomBytes(side * side * 3), { raw: noise })
      .png()
      .toBuffer();
    const sha256 = createHash('sha256').update(png).digest('hex');
    const body = Buffer.concat([
      Buffer.from('--b\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n'),
      png,
      Buffer.from('\r\n--b--\r\n'),
    ]);
    const answers: string[] = [];
    for (let upload = 0; upload < 20; upload += 1) {
      const answer = await api.post(body, ['Content-Type: multipart/form-data; boundary=b']);
      answers.push(said(answer));
      if (!answer.startsWith('HTTP/1.1 201')) continue;
      const told = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4));
      const path = join(dir, 'uploads', told.id);
      assert.is(statSync(path).size, told.bytes);
      assert.is(createHash('sha256').update(readFileSync(path)).digest('hex'), told.sha256);
      assert.is(told.sha256, sha256);
    }
    assert.equal([...new Set(answers)], ['201', '507 storage_full']);
    assert.equal(api.incoming(), []);
    assert.is(api.ended(), undefined);
    assert.not.match(answers.join(), dir);
  });
  test.after(api.close);
} else {
  skip(test, name, 'the right to mount a small disk');
}
test.run();
