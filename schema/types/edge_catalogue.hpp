#pragma once
// The catalogue of edge types: one row per type. The enum, the names, and the tables of what an edge carries and which
// way influence flows are made from these rows (edge_type.hpp).
//
// X(number, enumerator, "NAME", what it carries, influence, ends...). An end is {from, to} or {from, to, influence}
// where one pair differs from the row. Influence is seen from the stored direction: `along` makes `from` the cause of
// `to`.
//
// P(number, enumerator, "NAME", influence) is a relation of a PROV document of others: from each PROV record type to
// every node type, since PROV's things may each be of several kinds and such documents may speak of our nodes.
//
// Numbers and names are stored: never reused, never reordered. 32 to 42 are the relation variants of 17 to 27, 46 to 58
// the basis variants of 5, 44 and 23 (edge_type.hpp). 62 is the last: a set of types is one word of 64 bits.

// clang-format off
#define WHENCE_OWN_EDGE_TYPES(X)                                                                                      \
  X(1, used_in, "USED_IN", weight, along,                                                                             \
    {context_unit, response}, {retrieved_chunk, response}, {document, response}, {response, response},                \
    {message, response}, {answer, response})                                                                          \
  X(2, derived_from, "DERIVED_FROM", version, against, {context_unit, context_unit})                                  \
  X(3, updated_by, "UPDATED_BY", time, against, {context_unit, response})                                             \
  X(4, evaluates, "EVALUATES", score, none, {feedback_record, response}, {feedback_record, answer})                   \
  X(5, prompted, "PROMPTED", none, along,                                                                             \
    {xml_message_attachment, response}, {system_prompt_template, response}, {discussion_round, response},             \
    {summary_entry, response}, {context_unit, response}, {retrieved_chunk, response}, {document, response},           \
    {query, response}, {response, response}, {message, response}, {answer, response})                                 \
  X(6, rendered_as, "RENDERED_AS", none, along, {response, xml_message_attachment})                                   \
  X(7, extracted_from, "EXTRACTED_FROM", confidence, against,                                                         \
    {keyword, xml_message_attachment}, {subject, xml_message_attachment}, {summary, xml_message_attachment})          \
  X(8, revision_of, "REVISION_OF", version, against,                                                                  \
    {summary, summary}, {system_prompt_template, system_prompt_template})                                             \
  X(9, part_of, "PART_OF", none, none,                                                                                \
    {message, topic}, {xml_message_attachment, message}, {discussion_round, discussion},                              \
    {keyword, subject}, {subject, topic}, {summary, topic},                                                           \
    {retrieved_chunk, document, Influence::against})                                                                  \
  X(10, follows, "FOLLOWS", none, against, {discussion_round, discussion_round})                                      \
  X(11, summarizes, "SUMMARIZES", none, against, {summary_entry, discussion_round})                                   \
  X(12, embeds, "EMBEDS", none, against, {embedding_vector, query})                                                   \
  X(13, retrieved_for, "RETRIEVED_FOR", similarity, along, {retrieved_chunk, query})                                  \
  /* The embedding chose what was included, so it is an ancestor of the answer too. */                                \
  X(14, included_in, "INCLUDED_IN", rank, along,                                                                      \
    {retrieved_chunk, prompt_context}, {query, prompt_context}, {embedding_vector, prompt_context})                   \
  X(15, generated_from, "GENERATED_FROM", none, against, {answer, prompt_context})                                    \
  X(16, cites, "CITES", citation, against, {answer, retrieved_chunk})                                                 \
  X(43, same_act, "SAME_ACT", none, none, {response, answer})                                                         \
  /* What one half of an act has and the other lacks: whatever causes an answer or a response, then effects of both.  \
     Each cause may meet each half: an answer whose response was deleted keeps its causes for the next response. */   \
  X(44, through_act, "THROUGH_ACT", weight, along,                                                                    \
    {context_unit, answer}, {retrieved_chunk, answer}, {document, answer}, {response, answer}, {message, answer},     \
    {answer, answer}, {xml_message_attachment, answer}, {system_prompt_template, answer},                             \
    {discussion_round, answer}, {summary_entry, answer}, {query, answer}, {prompt_context, answer},                   \
    {context_unit, response}, {retrieved_chunk, response}, {document, response}, {response, response},                \
    {message, response}, {answer, response}, {xml_message_attachment, response},                                      \
    {system_prompt_template, response}, {discussion_round, response}, {summary_entry, response},                      \
    {query, response}, {prompt_context, response},                                                                    \
    {answer, context_unit}, {answer, xml_message_attachment}, {answer, prov_entity}, {answer, prov_activity},         \
    {answer, prov_agent}, {response, context_unit}, {response, xml_message_attachment}, {response, prov_entity},      \
    {response, prov_activity}, {response, prov_agent})                                                                \
  /* The entity that the document's `uri` names, and the entities that are specializations of that. */                \
  X(45, loaded_from, "LOADED_FROM", none, against, {document, prov_entity})                                           \
  /* A call that was made again, and what it answered first. The first did not make it: no influence. */              \
  X(59, replay_of, "REPLAY_OF", none, none, {response, response}, {response, answer})                                  \
  /* What a person decided about it. */                                                                                \
  X(60, decides, "DECIDES", none, none,                                                                                \
    {decision, response}, {decision, answer}, {decision, context_unit}, {decision, document},                          \
    {decision, retrieved_chunk}, {decision, message}, {decision, summary}, {decision, discussion},                     \
    {decision, prov_entity}, {decision, prov_activity})                                                                \
  /* Whom it was made for, and who said or rated it; the session that it is part of. */                                \
  X(61, of_person, "OF_PERSON", none, none, {response, person}, {feedback_record, person}, {message, person})          \
  X(62, of_session, "OF_SESSION", none, none, {response, session})

#define WHENCE_PROV_EDGE_TYPES(P)                                                                                     \
  P(17, prov_was_generated_by, "PROV_wasGeneratedBy", against)                                                        \
  P(18, prov_used, "PROV_used", against)                                                                              \
  P(19, prov_was_informed_by, "PROV_wasInformedBy", against)                                                          \
  P(20, prov_was_started_by, "PROV_wasStartedBy", against)                                                            \
  P(21, prov_was_ended_by, "PROV_wasEndedBy", against)                                                                \
  P(22, prov_was_invalidated_by, "PROV_wasInvalidatedBy", against)                                                    \
  P(23, prov_was_derived_from, "PROV_wasDerivedFrom", against)                                                        \
  P(24, prov_was_attributed_to, "PROV_wasAttributedTo", against)                                                      \
  P(25, prov_was_associated_with, "PROV_wasAssociatedWith", against)                                                  \
  P(26, prov_acted_on_behalf_of, "PROV_actedOnBehalfOf", against)                                                     \
  P(27, prov_was_influenced_by, "PROV_wasInfluencedBy", against)                                                      \
  P(28, prov_specialization_of, "PROV_specializationOf", none)                                                        \
  P(29, prov_alternate_of, "PROV_alternateOf", none)                                                                  \
  P(30, prov_had_member, "PROV_hadMember", none)                                                                      \
  P(31, prov_mention_of, "PROV_mentionOf", none)
// clang-format on
