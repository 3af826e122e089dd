import { writeFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';

/** How much of a picture is kept, of 1. Text stays sharp, and a page takes a third of what it takes without loss. */
const QUALITY = 0.86;

/** Writes what a page shows as WebP. The browser itself encodes it. `painter` is an empty page. */
export async function writePicture(page: Page, painter: Page, path: string): Promise<void> {
  // The colours of a theme fade into those of the other.
  const png = (await page.screenshot({ animations: 'disabled' })).toString('base64');
  const webp = await painter.evaluate(
    async ({ png, quality }) => {
      const bytes = Uint8Array.from(atob(png), (character) => character.charCodeAt(0));
      const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
      const canvas = new OffscreenCanvas(image.width, image.height);
      canvas.getContext('2d')?.drawImage(image, 0, 0);
      const blob = await canvas.convertToBlob({ type: 'image/webp', quality });
      const encoded = new Uint8Array(await blob.arrayBuffer());
      return btoa(Array.from(encoded, (byte) => String.fromCharCode(byte)).join(''));
    },
    { png, quality: QUALITY },
  );
  await writeFile(path, Buffer.from(webp, 'base64'));
}
