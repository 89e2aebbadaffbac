// Members of context records, one by one.
#include "schema/stored/context.hpp"

#include "schema/stored/record_parts.hpp"

#include <algorithm>

namespace whence::schema::stored {
namespace {

void fill_node(wire::LineageManifest::Node::Builder out, ManifestNode const& node) {
  out.setId(text(node.id));
  if (node.type) out.setType(static_cast<std::uint8_t>(*node.type));
  out.setSource(text(node.source));
  auto const mark = [](std::optional<bool> const& is_set, unsigned bit) { return is_set.value_or(false) ? bit : 0U; };
  out.setMarks(static_cast<std::uint8_t>(mark(node.deleted, 1) + mark(node.expired, 2) + mark(node.purged, 4) +
                                         (node.type ? 0U : 8U)));
  out.setWeight(canonical(node.weight));
  if (node.embedding_id) out.setEmbeddingId(text(*node.embedding_id));
  if (node.summary) out.setSummary(text(*node.summary));
}

kj::ArrayPtr<kj::byte const> bytes(Digest const& digest) {
  return {digest.bytes.data(), digest.bytes.size()};
}

std::optional<Digest> read_digest(capnp::Data::Reader in) {
  if (in.size() == 0) return std::nullopt;
  Digest digest;
  require(in.size() == digest.bytes.size(), "a digest of another size");
  std::ranges::copy(in, digest.bytes.begin());
  return digest;
}

/// A person or a session: what is kept beside the id.
template <class Builder, class T>
void fill_named(Builder out, T const& named) {
  if (named.name) out.setName(text(*named.name));
  fill_attributes(out, named.attributes);
  fill_flags(out, named.flags);
}

template <class Reader, class T>
void read_named(Reader in, T& named) {
  named.name = read_text(in.hasName(), in.getName());
  named.attributes = read_attributes(in);
  named.flags = read_flags(in);
}

/// What is said of the prompt beside its text.
void fill_prompt(wire::Response::Builder out, Response const& response) {
  if (response.prompt_basis) {
    auto list = out.initPromptBasis(static_cast<unsigned>(response.prompt_basis->size()));
    std::ranges::transform(*response.prompt_basis, list.begin(),
                           [](Basis each) { return static_cast<kj::byte>(each); });
  }
  if (response.prompt_messages) {
    auto list = out.initPromptMessages(static_cast<unsigned>(response.prompt_messages->size()));
    for (std::uint32_t i = 0; i < list.size(); ++i) {
      auto const& message = (*response.prompt_messages)[i];
      list[i].setRole(text(message.role));
      list[i].setStart(static_cast<std::uint32_t>(message.start));
      list[i].setEnd(static_cast<std::uint32_t>(message.end));
    }
  }
  if (response.question) out.setQuestion(text(*response.question));
  if (response.conversation) out.setConversation(text(*response.conversation));
  if (response.person) out.setPerson(text(*response.person));
  if (response.replay_of) out.setReplayOf(text(*response.replay_of));
}

void read_prompt(wire::Response::Reader in, Response& response) {
  if (in.hasPromptBasis()) {
    auto& bases = response.prompt_basis.emplace();
    for (auto const each : in.getPromptBasis()) {
      require(each < names_of<Basis>.size(), "unknown basis");
      bases.push_back(static_cast<Basis>(each));
    }
  }
  if (in.hasPromptMessages()) {
    auto& messages = response.prompt_messages.emplace();
    for (auto const each : in.getPromptMessages()) {
      messages.push_back({read_text(each.getRole()), each.getStart(), each.getEnd()});
    }
  }
  response.question = read_text(in.hasQuestion(), in.getQuestion());
  response.conversation = read_text(in.hasConversation(), in.getConversation());
  response.person = read_text(in.hasPerson(), in.getPerson());
  response.replay_of = read_text(in.hasReplayOf(), in.getReplayOf());
}

/// Numbers of the call. A count of tokens is stored plus 1, so that 0 is an absent one.
void fill_call(wire::Response::Builder out, Response const& response) {
  if (response.usage) {
    out.setHasUsage(true);
    if (response.usage->input_tokens) out.setInputTokens(*response.usage->input_tokens + 1);
    if (response.usage->output_tokens) out.setOutputTokens(*response.usage->output_tokens + 1);
  }
  if (response.latency_ms) {
    out.setLatencyMs(canonical(*response.latency_ms));
    out.setHasLatency(true);
  }
  if (response.cost) {
    out.setCost(canonical(*response.cost));
    out.setHasCost(true);
  }
  if (!response.given_weights) return;
  auto list = out.initGivenWeights(static_cast<unsigned>(response.given_weights->size()));
  for (std::uint32_t i = 0; i < list.size(); ++i) list.set(i, canonical((*response.given_weights)[i]));
}

std::optional<std::int64_t> read_tokens(std::int64_t stored) {
  return stored == 0 ? std::nullopt : std::optional{read_count(stored) - 1};
}

void read_call(wire::Response::Reader in, Response& response) {
  if (in.getHasUsage()) response.usage = {read_tokens(in.getInputTokens()), read_tokens(in.getOutputTokens())};
  if (in.getHasLatency()) response.latency_ms = read_number(in.getLatencyMs());
  if (in.getHasCost()) response.cost = read_number(in.getCost());
  if (!in.hasGivenWeights()) return;
  auto& weights = response.given_weights.emplace();
  for (double const weight : in.getGivenWeights()) weights.push_back(read_number(weight));
}

}  // namespace

void fill(wire::ContextUnit::Builder out, ContextUnit const& unit) {
  out.setType(static_cast<std::uint8_t>(unit.type));
  out.setSource(text(unit.source));
  if (unit.timestamp) fill_time(out, *unit.timestamp);
  if (unit.contribution_weight) {
    out.setContributionWeight(canonical(*unit.contribution_weight));
    out.setHasContributionWeight(true);
  }
  if (unit.embedding_id) out.setEmbeddingId(text(*unit.embedding_id));
  if (unit.summary) out.setSummary(text(*unit.summary));
  if (unit.version != version_left_out) out.setVersion(version_number(unit.version));  // of a fingerprint
  if (unit.previous_version_id) out.setPreviousVersionId(text(*unit.previous_version_id));
  if (unit.updated_by_response_id) out.setUpdatedByResponseId(text(*unit.updated_by_response_id));
  if (unit.derived_from) {
    fill_texts(out.initDerivedFrom(static_cast<unsigned>(unit.derived_from->size())), *unit.derived_from);
  }
  fill_attributes(out, unit.attributes);
  fill_flags(out, unit.flags);
  if (unit.content) out.setContent(text(*unit.content));
  if (unit.content_blob) out.setContentBlob(bytes(*unit.content_blob));
}

void fill(wire::Response::Builder out, Response const& response) {
  fill_time(out, response.timestamp);
  out.setAgent(text(response.agent));
  out.setModel(text(response.model));
  fill_token_count(out, response.token_count);
  if (response.prompt_template) {
    out.setTemplateModelId(text(response.prompt_template->model_id));
    out.setTemplateVersion(version_number(response.prompt_template->version));
  }
  if (response.query_attachment) out.setQueryAttachment(text(*response.query_attachment));
  if (response.prompt_refs) {
    fill_texts(out.initPromptRefs(static_cast<unsigned>(response.prompt_refs->size())), *response.prompt_refs);
  }
  fill_attributes(out, response.attributes);
  fill_flags(out, response.flags);
  if (response.content) out.setContent(text(*response.content));
  if (response.content_blob) out.setContentBlob(bytes(*response.content_blob));
  if (response.prompt) out.setPrompt(text(*response.prompt));
  if (response.prompt_blob) out.setPromptBlob(bytes(*response.prompt_blob));
  if (response.request_id) out.setRequestId(text(*response.request_id));
  fill_prompt(out, response);
  fill_call(out, response);
}

void fill(wire::FeedbackRecord::Builder out, FeedbackRecord const& feedback) {
  if (!feedback.response_id.empty()) out.setResponseId(text(feedback.response_id));
  fill_time(out, feedback.timestamp);
  out.setHasNoScore(!feedback.score);
  if (feedback.score) out.setScore(canonical(*feedback.score));
  if (feedback.feedback_text) out.setFeedbackText(text(*feedback.feedback_text));
  if (feedback.user_id) out.setUserId(text(*feedback.user_id));
  if (feedback.ref) out.setRef(text(*feedback.ref));
  fill_attributes(out, feedback.attributes);
  fill_flags(out, feedback.flags);
}

void fill(wire::Decision::Builder out, Decision const& decision) {
  if (decision.subject) out.setSubject(text(*decision.subject));
  out.setVerdict(static_cast<std::uint8_t>(decision.verdict));
  out.setBy(text(decision.by));
  fill_time(out, decision.timestamp);
  if (decision.reason) out.setReason(text(*decision.reason));
  fill_attributes(out, decision.attributes);
  fill_flags(out, decision.flags);
}

void fill(wire::Person::Builder out, Person const& person) {
  fill_named(out, person);
}

void fill(wire::Session::Builder out, Session const& session) {
  fill_named(out, session);
}

void fill(wire::Hold::Builder out, Hold const& hold) {
  if (hold.refs) fill_texts(out.initRefs(static_cast<unsigned>(hold.refs->size())), *hold.refs);
  if (hold.person) out.setPerson(text(*hold.person));
  if (hold.topic) out.setTopic(text(*hold.topic));
  out.setReason(text(hold.reason));
  fill_time(out, hold.timestamp);
  if (hold.query) out.setQuery(text(*hold.query));
  if (hold.cleared) out.setCleared(text(*hold.cleared));
  fill_attributes(out, hold.attributes);
  fill_flags(out, hold.flags);
}

void fill(wire::LineageManifest::Builder out, LineageManifest const& manifest) {
  fill_time(out, manifest.timestamp);
  out.setAgent(text(manifest.agent));
  out.setModel(text(manifest.model));
  fill_token_count(out, manifest.token_count);
  auto tree = out.initTree(static_cast<unsigned>(manifest.context_tree.size()));
  for (std::uint32_t i = 0; i < tree.size(); ++i) fill_node(tree[i], manifest.context_tree[i]);
  out.setRoot(text(manifest.provenance_tree.root));
  auto edges = out.initEdges(static_cast<unsigned>(manifest.provenance_tree.edges.size()));
  for (std::uint32_t i = 0; i < edges.size(); ++i) {
    ManifestEdge const& edge = manifest.provenance_tree.edges[i];
    edges[i].setFrom(text(edge.from));
    edges[i].setTo(text(edge.to));
    edges[i].setWeight(canonical(edge.weight));
  }
  fill_attributes(out, manifest.attributes);
  out.setIsExpired(manifest.expired.value_or(false));
}

void fill_whole(wire::Whole::Builder out, Response const& response) {
  if (response.manifest_json) out.setManifestJson(text(*response.manifest_json));
  auto uses = out.initUses(static_cast<unsigned>(response.context_units.size()));
  for (std::uint32_t i = 0; i < uses.size(); ++i) {
    ContextReference const& use = response.context_units[i];
    uses[i].setUnitId(text(use.context_unit_id));
    uses[i].setWeight(canonical(use.weight));
    if (use.ref) uses[i].setRef(text(*use.ref));
    if (is_inline(use)) fill(uses[i].initUnit(), unit_of(use));
  }
}

void read(wire::ContextUnit::Reader in, ContextUnit& unit) {
  require(in.getType() <= static_cast<std::uint8_t>(ContextType::model_state), "unknown context type");
  unit.type = static_cast<ContextType>(in.getType());
  unit.source = read_text(in.getSource());
  unit.timestamp = read_timestamp(in);
  if (in.getHasContributionWeight()) unit.contribution_weight = read_number(in.getContributionWeight());
  unit.embedding_id = read_text(in.hasEmbeddingId(), in.getEmbeddingId());
  unit.summary = read_text(in.hasSummary(), in.getSummary());
  unit.version = read_version(in.getVersion());
  unit.previous_version_id = read_text(in.hasPreviousVersionId(), in.getPreviousVersionId());
  unit.updated_by_response_id = read_text(in.hasUpdatedByResponseId(), in.getUpdatedByResponseId());
  if (in.hasDerivedFrom()) unit.derived_from = read_texts(in.getDerivedFrom());
  unit.attributes = read_attributes(in);
  unit.flags = read_flags(in);
  unit.content = read_text(in.hasContent(), in.getContent());
  unit.content_blob = read_digest(in.getContentBlob());
}

void read(wire::Response::Reader in, Response& response) {
  response.timestamp = read_timestamp(in);
  response.agent = read_text(in.getAgent());
  response.model = read_text(in.getModel());
  if (in.getHasTokenCount()) {
    require(in.getTokenCount() >= 0, "a token count below 0");
    response.token_count = in.getTokenCount();
  }
  if (in.hasTemplateModelId()) {
    response.prompt_template = TemplateName{read_text(in.getTemplateModelId()), read_version(in.getTemplateVersion())};
  }
  response.query_attachment = read_text(in.hasQueryAttachment(), in.getQueryAttachment());
  if (in.hasPromptRefs()) response.prompt_refs = read_texts(in.getPromptRefs());
  response.attributes = read_attributes(in);
  response.flags = read_flags(in);
  response.content = read_text(in.hasContent(), in.getContent());
  response.content_blob = read_digest(in.getContentBlob());
  response.prompt = read_text(in.hasPrompt(), in.getPrompt());
  response.prompt_blob = read_digest(in.getPromptBlob());
  response.request_id = read_text(in.hasRequestId(), in.getRequestId());
  read_prompt(in, response);
  read_call(in, response);
}

void read(wire::Decision::Reader in, Decision& decision) {
  decision.subject = read_text(in.hasSubject(), in.getSubject());
  require(in.getVerdict() < names_of<Verdict>.size(), "unknown verdict");
  decision.verdict = static_cast<Verdict>(in.getVerdict());
  decision.by = read_text(in.getBy());
  decision.timestamp = read_timestamp(in);
  decision.reason = read_text(in.hasReason(), in.getReason());
  decision.attributes = read_attributes(in);
  decision.flags = read_flags(in);
}

void read(wire::Person::Reader in, Person& person) {
  read_named(in, person);
}

void read(wire::Session::Reader in, Session& session) {
  read_named(in, session);
}

void read(wire::Hold::Reader in, Hold& hold) {
  if (in.hasRefs()) hold.refs = read_texts(in.getRefs());
  hold.person = read_text(in.hasPerson(), in.getPerson());
  hold.topic = read_text(in.hasTopic(), in.getTopic());
  hold.reason = read_text(in.getReason());
  hold.timestamp = read_timestamp(in);
  hold.query = read_text(in.hasQuery(), in.getQuery());
  hold.cleared = read_text(in.hasCleared(), in.getCleared());
  hold.attributes = read_attributes(in);
  hold.flags = read_flags(in);
}

void read(wire::FeedbackRecord::Reader in, FeedbackRecord& feedback) {
  feedback.response_id = read_text(in.getResponseId());
  feedback.timestamp = read_timestamp(in);
  if (!in.getHasNoScore()) feedback.score = read_number(in.getScore());
  feedback.feedback_text = read_text(in.hasFeedbackText(), in.getFeedbackText());
  feedback.user_id = read_text(in.hasUserId(), in.getUserId());
  feedback.ref = read_text(in.hasRef(), in.getRef());
  feedback.attributes = read_attributes(in);
  feedback.flags = read_flags(in);
}

}  // namespace whence::schema::stored
