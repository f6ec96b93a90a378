/** Tiers of claims and what they weigh (spec §2.2). */
import Type from 'typebox';
import { tierWeights } from '../../domain/articles/tables.ts';
import { oneOf } from './parts.ts';

export const tier = oneOf(Object.keys(tierWeights));
export const weight = Type.Number({ minimum: 0, maximum: 1 });
