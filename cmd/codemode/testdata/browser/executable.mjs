// Prints where the headless Chromium of the lock file is, unpacked into TMPDIR the first time.
import chromium from '@sparticuz/chromium';

console.log(await chromium.executablePath());
