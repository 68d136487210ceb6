import type { OperationExample } from '../../contract/examples.ts';

/** For the document: a picture of 2 megapixels becomes one of 8. */
export const upscaleExample: OperationExample = {
  request: {
    model: 'photo',
    image_url: 'https://media.example.com/harbour.jpg',
    scale: 2,
    output_format: 'webp',
    output: { quality: 90 },
  },
  input: {
    kind: 'image',
    size: '1600x1250',
    bytes: 412_668,
    sha256: '3b1f6c0de5a84729c6d1907f2be35a48d0c9176f4e8b2a35d7f1064c9e2b8a51',
    content_type: 'image/jpeg',
  },
  options: {
    model: 'photo',
    scale: 2,
    effort: 'best',
    denoise: 'auto',
    output_format: 'webp',
    output: { quality: 90 },
  },
  result: {
    model_used: 'photo',
    input_size: '1600x1250',
    output_size: '3200x2500',
    scale: 2,
    effort: 'best',
    content_type: 'image/webp',
  },
  entry: {
    model: 'photo',
    effort: 'best',
    options: {
      scales: [2, 4, 8],
      efforts: ['realtime', 'best'],
      denoises: ['auto', 'off', 1, 2, 3],
      image_formats: ['png', 'jpeg', 'webp', 'avif'],
      video_formats: ['mp4'],
      output: { type: 'object', properties: { quality: { type: 'integer' } } },
    },
    limits: {
      image: { max_bytes: 52_428_800, max_pixels: 40_000_000, max_output_side: 16_384 },
      video: {
        max_long_side: 4096,
        max_short_side: 2304,
        max_bytes: 524_288_000,
        max_output_side: 8192,
        max_output_pixels: 150_000_000_000,
        max_seconds: 300,
        max_frames: 18_000,
      },
    },
    price: { credits_per_megapixel: 0.5, minimum_credits: 1 },
  },
  credits: 4,
  priceText: 'photo: 8 MP × 0.5',
};
