#pragma once
// The catalogue of record types: one row per type, and every fact of a type that is not code. The enum, the table of
// infos, the variant `Record`, decoding, JSON and stored dispatch are all made from these rows (record_type.hpp,
// records.hpp, stored/record_codec.cpp).
//
// X(number, enumerator, struct, "$type$", facts...). The facts are members of RecordTypeInfo (record_type.hpp); what a
// row leaves out has the default written there. Rows are in the order of their numbers, from 1 without gaps. Numbers
// and names are stored: never reused, never reordered.

// clang-format off
#define WHENCE_RECORD_TYPES(X)                                                                                         \
  X(1, context_unit, ContextUnit, "ContextUnit",                                                                       \
    .label = "Context unit", .group = "context", .label_members = {"summary", "source"},                               \
    .detail_members = {"type", "source", "summary"}, .search_members = {"type"}, .time_member = "timestamp",           \
    .id_prefix = "cu_", .made_prefix = "cu_", .has_bare_refs = true, .is_rated = true, .has_status = true,             \
    .edges_equal_links = true)                                                                                         \
  X(2, response, Response, "Response",                                                                                 \
    .label = "Response", .group = "response", .label_members = {"question", "agent"}, .detail_members = {"agent", "model"},        \
    .search_members = {"model"}, .time_member = "timestamp", .id_prefix = "resp_", .made_prefix = "resp_",             \
    .has_bare_refs = true, .is_rated = true, .is_impact = true, .deletes_parts = true, .edges_equal_links = true)      \
  X(3, feedback_record, FeedbackRecord, "FeedbackRecord",                                                              \
    .label = "Feedback", .group = "other", .label_members = {"feedback_text"},                                         \
    .detail_members = {"score", "user_id", "feedback_text"}, .search_members = {"user_id", "response_id", "ref"},      \
    .time_member = "timestamp", .made_prefix = "fb_", .has_bare_refs = true, .is_rated = true,                         \
    .edges_equal_links = true)                                                                                         \
  X(4, lineage_manifest, LineageManifest, "LineageManifest",                                                           \
    .label = "Lineage manifest", .group = "response", .time_member = "timestamp", .is_node = false)                    \
  X(5, topic, Topic, "Topic",                                                                                          \
    .label = "Topic", .group = "message", .label_members = {"name"}, .time_member = "createdAt",                       \
    .made_prefix = "topic_", .edges_equal_links = true)                                                                \
  X(6, message, Message, "Message",                                                                                    \
    .label = "Message", .group = "message", .label_members = {"text", "role"}, .detail_members = {"role", "text"},     \
    .search_members = {"topicId"}, .time_member = "createdAt", .made_prefix = "msg_", .deletes_parts = true,           \
    .edges_equal_links = true)                                                                                         \
  X(7, xml_message_attachment, XmlMessageAttachment, "XMLMessageAttachment",                                           \
    .label = "XML attachment", .group = "message", .label_members = {"messageId"},                                     \
    .detail_members = {"format", "messageId"}, .search_members = {"format", "topicId"}, .time_member = "createdAt",    \
    .is_impact = true)                                                                                                 \
  X(8, keyword, Keyword, "Keyword",                                                                                    \
    .label = "Keyword", .group = "extracted", .label_members = {"term"}, .detail_members = {"frequency"},              \
    .time_member = "createdAt", .is_impact = true, .is_extracted = true, .is_replaceable = true)                       \
  X(9, subject, Subject, "Subject",                                                                                    \
    .label = "Subject", .group = "extracted", .label_members = {"name"},                                               \
    .detail_members = {"name", "messageCount", "description"}, .search_members = {"description", "topic"},             \
    .time_member = "createdAt", .is_impact = true, .is_extracted = true, .is_replaceable = true)                       \
  X(10, summary, Summary, "Summary",                                                                                   \
    .label = "Summary", .group = "extracted", .label_members = {"increment", "content"},                               \
    .detail_members = {"increment"}, .search_members = {"topic"}, .time_member = "createdAt", .is_impact = true,       \
    .is_extracted = true)                                                                                              \
  X(11, system_prompt_template, SystemPromptTemplate, "SystemPromptTemplate",                                          \
    .label = "Prompt template", .group = "other", .label_members = {"modelId"}, .detail_members = {"promptText"},      \
    .time_member = "createdAt")                                                                                        \
  X(12, discussion, Discussion, "Discussion",                                                                          \
    .label = "Discussion", .group = "discussion", .label_members = {"topic", "discussionId"},                          \
    .detail_members = {"topic"}, .search_members = {"userId"}, .time_member = "createdAt", .deletes_parts = true,      \
    .is_replaceable = true, .edges_equal_links = true)                                                                 \
  X(13, discussion_round, DiscussionRound, "DiscussionRound",                                                          \
    .label = "Round", .group = "discussion", .search_members = {"userId", "discussionId"},                             \
    .time_member = "timestamp")                                                                                        \
  X(14, summary_entry, SummaryEntry, "SummaryEntry",                                                                   \
    .label = "Discussion summary", .group = "discussion", .label_members = {"summary"}, .time_member = "createdAt")    \
  X(15, document, Document, "Document",                                                                                \
    .label = "Document", .group = "retrieval", .label_members = {"title", "document_name"},                            \
    .detail_members = {"title", "uri"}, .time_member = "timestamp", .is_rated = true, .has_status = true,              \
    .deletes_parts = true, .edges_equal_links = true)                                                                  \
  X(16, retrieved_chunk, RetrievedChunk, "RetrievedChunk",                                                             \
    .label = "Chunk", .group = "retrieval", .label_members = {"content"}, .is_rated = true, .has_status = true)        \
  X(17, query, Query, "Query",                                                                                         \
    .label = "Query", .group = "retrieval", .label_members = {"question"}, .time_member = "timestamp",                 \
    .made_prefix = "req_", .edges_equal_links = true)                                                                  \
  X(18, embedding_vector, EmbeddingVector, "EmbeddingVector",                                                          \
    .label = "Embedding", .group = "retrieval", .detail_members = {"model_name"}, .search_members = {"model_name"})    \
  X(19, prompt_context, PromptContext, "PromptContext",                                                                \
    .label = "Prompt context", .group = "retrieval", .label_members = {"question"})                                    \
  X(20, answer, Answer, "Answer",                                                                                      \
    .label = "Answer", .group = "answer", .label_members = {"answer", "message"}, .is_rated = true, .is_impact = true) \
  X(21, citation, Citation, "Citation",                                                                                \
    .label = "Citation", .group = "answer", .label_members = {"excerpt", "document_name"}, .is_node = false)           \
  X(22, prov_entity, ProvEntity, "ProvEntity",                                                                         \
    .label = "PROV entity", .group = "other", .label_members = {"qname"}, .is_prov = true, .is_impact = true)          \
  X(23, prov_activity, ProvActivity, "ProvActivity",                                                                   \
    .label = "PROV activity", .group = "other", .label_members = {"qname"}, .is_prov = true)                           \
  X(24, prov_agent, ProvAgent, "ProvAgent",                                                                            \
    .label = "PROV agent", .group = "other", .label_members = {"qname"}, .is_prov = true)                              \
  X(25, decision, Decision, "Decision",                                                                                \
    .label = "Decision", .group = "other", .label_members = {"reason"},                                                \
    .detail_members = {"verdict", "by", "reason"}, .search_members = {"verdict", "by"}, .time_member = "timestamp",    \
    .made_prefix = "dec_", .has_bare_refs = true, .edges_equal_links = true)                                           \
  X(26, person, Person, "Person",                                                                                      \
    .label = "Person", .group = "other", .label_members = {"name"}, .is_replaceable = true,                            \
    .edges_equal_links = true)                                                                                         \
  X(27, session, Session, "Session",                                                                                   \
    .label = "Session", .group = "other", .label_members = {"name"}, .is_replaceable = true,                           \
    .edges_equal_links = true)                                                                                         \
  X(28, hold, Hold, "Hold",                                                                                            \
    .label = "Hold", .group = "other", .label_members = {"reason"}, .detail_members = {"person", "topic", "reason"},   \
    .search_members = {"person", "topic"}, .time_member = "timestamp", .made_prefix = "hold_",                         \
    .edges_equal_links = true)
// clang-format on
