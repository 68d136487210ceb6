import type { OperationExample } from '../../contract/examples.ts';

/** For the document: a clip of ten seconds speaks a sound of the same length. */
export const lipsyncExample: OperationExample = {
  request: {
    model: 'balanced',
    video_url: 'https://media.example.com/presenter.mp4',
    audio_url: 'https://media.example.com/welcome.mp3',
    sync_mode: 'cut_off',
    options: { expressiveness: 0.6 },
  },
  input: {
    kind: 'video',
    size: '1280x720',
    bytes: 6_204_118,
    sha256: 'a7d0c41f9b3e52867d1c0f4b8ae69253c7f01d4e8b6a9325f0c7d1e4b8a39652',
    content_type: 'video/mp4',
    duration_seconds: 10,
    frames: 250,
    fps: 25,
    own_sound: true,
    audio: {
      bytes: 160_749,
      sha256: 'c2e8b6a1d4f7093e5b8c1a6d9f20e4735a8d1c6b9e0f3247d5a8b1c4e7f09263',
      content_type: 'audio/mpeg',
      duration_seconds: 10,
      sample_rate: 44_100,
      channels: 2,
    },
  },
  options: {
    model: 'balanced',
    output_format: 'mp4',
    sync_mode: 'cut_off',
    speaker: { mode: 'auto' },
    options: {
      expressiveness: 0.6,
      on_no_face: 'passthrough',
      motion: true,
      style: 'auto',
      background: { mode: 'drop', volume: 0.3 },
    },
  },
  result: {
    model_used: 'balanced',
    input_size: '1280x720',
    output_size: '1280x720',
    content_type: 'video/mp4',
    duration_seconds: 10,
    frames: 250,
    fps: 25,
    faces_detected: 1,
    frames_passed_through: 0,
    provenance: {
      signed: true,
      issuer: 'Example Media',
      signer: 'enhance',
      manifest: 'urn:c2pa:8f0c1f6e-52d4-4c0f-9a53-0d7b1f6a2c11',
      digital_source_type:
        'http://cv.iptc.org/newscodes/digitalsourcetype/compositeWithTrainedAlgorithmicMedia',
      ingredients: [
        { title: 'video', relationship: 'parentOf', credentials: 'none' },
        { title: 'audio', relationship: 'componentOf', credentials: 'none' },
      ],
    },
    sync: { correlation: 0.71, lag_ms: 20 },
  },
  entry: {
    portrait_version: 'balanced-portrait-r1',
    options: {
      sync_modes: ['cut_off', 'loop', 'bounce', 'silence', 'remap'],
      output_formats: ['mp4'],
      speaker: { type: 'object' },
      segment: { type: 'object' },
      options: { type: 'object' },
    },
    limits: {
      portrait: { max_long_side: 4096, max_short_side: 2304, max_bytes: 52_428_800 },
      video: {
        max_long_side: 4096,
        max_short_side: 2304,
        max_bytes: 524_288_000,
        max_seconds: 300,
        max_frames: 18_000,
      },
      audio: { max_bytes: 52_428_800, max_seconds: 300 },
      best_up_to_seconds: 300,
    },
    price: { credits_per_second: 2, minimum_credits: 1 },
  },
  credits: 20,
  priceText: 'balanced: 10 s × 2',
};
