/** The content credentials that were signed into a result: who says how it was made, and of what. */
import type { Provenance } from '../client/contract.ts';
import { make } from './dom.ts';
import { labelOf } from './words.ts';

export const provenanceView = (provenance: Provenance | null): HTMLElement =>
  make(
    'details',
    { class: 'facts provenance' },
    make('summary', {}, provenance ? 'Content credentials: signed' : 'Content credentials: none'),
    ...(provenance ? told(provenance) : [make('p', { class: 'hint' }, NONE)]),
  );

const NONE =
  'The file does not say how it was made: results of this model are not marked, or the operator of this server has turned it off.';

const told = ({ issuer, signer, manifest, digital_source_type, ingredients }: Provenance) => [
  make(
    'dl',
    {},
    ...[
      ['Signed by', `${signer} (${issuer})`],
      ['How it was made', sourceText(digital_source_type)],
      ...ingredients.map(({ title, relationship, credentials }) => [
        'Made from',
        `${title} (${uses[relationship] ?? relationship}); its own credentials: ${credentials}`,
      ]),
      ['Claim', manifest],
    ].flatMap(([name, value]) => [make('dt', {}, name), make('dd', {}, value)]),
  ),
  make(
    'p',
    { class: 'hint' },
    'This is what was signed. To check a copy of the file: ',
    make('code', {}, 'enhance verify FILE'),
  ),
];

/** The last word of the IPTC's address, such as "compositeWithTrainedAlgorithmicMedia", in plain words where it is known. */
const sourceText = (type: string): string => {
  const word = type.split('/').at(-1) ?? type;
  const words = word.replaceAll(/([a-z])([A-Z])/g, '$1_$2').toLowerCase();
  return known[word] ? `${known[word]} (${word})` : labelOf(words);
};

/** C2PA's words for what became of an input. */
const uses: Readonly<Record<string, string>> = { parentOf: 'edited', componentOf: 'put in' };

const known: Readonly<Record<string, string>> = {
  compositeWithTrainedAlgorithmicMedia: 'partly made by a trained model',
  trainedAlgorithmicMedia: 'made by a trained model',
};
