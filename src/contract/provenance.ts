import { z } from 'zod';

/** The content credentials (C2PA) that were signed into a result. */
export const Provenance = z
  .strictObject({
    signed: z.literal(true),
    issuer: z.string().describe('organisation in the certificate of the signer'),
    signer: z.string().describe('name in that certificate'),
    manifest: z.string().describe('identifier of the signed claim'),
    digital_source_type: z
      .url()
      .describe(
        'how the media was made, as a term of the IPTC: cv.iptc.org/newscodes/digitalsourcetype',
      ),
    ingredients: z
      .array(
        z.strictObject({
          title: z.string(),
          relationship: z.string(),
          credentials: z
            .enum(['none', 'valid', 'invalid'])
            .describe('those that the input itself carried; kept in the result'),
        }),
      )
      .describe('the inputs that the credentials name'),
  })
  .meta({ id: 'Provenance' });
export type Provenance = z.infer<typeof Provenance>;
