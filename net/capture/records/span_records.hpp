#pragma once
// The records that a span makes on its own, whatever else is known of its trace.

#include "net/capture/spans/captured.hpp"
#include "schema/base/digest.hpp"
#include "schema/base/time.hpp"
#include "schema/checks/embedding_models.hpp"
#include "schema/records/context/records.hpp"
#include "schema/records/records.hpp"

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace whence::net::capture {

[[nodiscard]] schema::Time time_of_nanos(Nanos nanos);
[[nodiscard]] Nanos nanos_of_time(schema::Time const& time);

/// As much of an agent's name as a record may have.
[[nodiscard]] std::string agent_text(std::string_view name);

/// The id of the person or the conversation that telemetry names; empty where the name is blank.
[[nodiscard]] std::string belonging_text(std::string const& name);

/// The unit of a message that was said at `time`, named by its role and text: one, however often it is said. A result
/// of a tool is named by its call's id too: two calls may have the same result; what `person` said by the person. Ids
/// of texts are made with the store's key.
[[nodiscard]] schema::ContextUnit unit_of(schema::SecretKey const& key, Message const& message, Nanos time,
                                          std::string_view person = {});

/// The units that a message with this text may be, of any role and of each of the persons.
[[nodiscard]] std::vector<std::string> answer_units(schema::SecretKey const& key, std::string const& answer,
                                                    std::set<std::string> const& persons);

/// The message that the result of a tool is.
[[nodiscard]] Message result_message(std::string role, std::string const& call_id, std::string const& text);

/// The message that a unit of `unit_of` keeps, whose content is `text`; nothing of other units.
[[nodiscard]] std::optional<Message> kept_message(schema::ContextUnit const& unit, std::string text);

/// What a message was to the response whose prompt it is in.
[[nodiscard]] schema::Basis basis_of(Message const& message);

/// Sets a response's prompt, the messages of it and the question. A long text that is known stays a digest.
void set_prompt(std::vector<Message> const& messages, schema::Response& response);
/// The messages of `text`, which is the prompt of `response`, without what they had beside their texts.
[[nodiscard]] std::vector<Message> messages_of_prompt(std::string const& text, schema::Response const& response);
/// What a model reasoned, beside its answer, where the response does not say it yet.
void set_reasoning(std::string_view reasoning, schema::Response& response);
/// What the messages of its prompt reasoned, where that is more than it says.
void set_prompt_reasoning(std::string_view reasoning, schema::Response& response);
/// What a log record says beside messages, where the response does not say it.
void set_beside(AttributeMap const& said, schema::Response& response);
/// That it has more causes than are shown.
void note_causes_left_out(schema::Response& response);
/// Sets a text of a record likewise.
void set_text(std::optional<std::string>& text, std::optional<schema::Digest>& blob, std::string now);

/// The response of a call, without the causes that other spans are.
[[nodiscard]] schema::Response response_of(CapturedSpan const& span);

/// What a span of another kind becomes: a query with its chunks, the unit of a tool call, the texts that were made
/// numbers with these where `models` takes them; nothing of a chain. Of a tool's passages `left_out` have no record.
[[nodiscard]] std::vector<schema::Record> records_of(schema::SecretKey const& key, CapturedSpan const& span,
                                                     schema::EmbeddingModels const& models,
                                                     std::set<std::string> const& left_out = {});

}  // namespace whence::net::capture
