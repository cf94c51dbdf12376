import { z } from "zod";
import { headerSchema } from "./answer.ts";
import { byName } from "./by-name.ts";
import { DIMENSIONS, type Dimension, MOST_LABELS } from "./scope.ts";

const valuesSchema = z.array(
  z.object({ value: z.string().nullable().meta({ description: "null: not recorded." }), calls: z.number() }),
);

export const valuesAnswerSchema = headerSchema
  .extend({
    dimensions: z
      .object(byName(DIMENSIONS, () => valuesSchema) as Record<Dimension, typeof valuesSchema>)
      .meta({ description: "Most calls first. A filter on the dimension itself does not apply to its values." }),
    truncated: z
      .array(z.enum(DIMENSIONS))
      .meta({ description: `Dimensions with more than the ${MOST_LABELS} values that are listed.` }),
  })
  .meta({ id: "ValuesAnswer" });
export type ValuesAnswer = z.infer<typeof valuesAnswerSchema>;
