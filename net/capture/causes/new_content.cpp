#include "net/capture/causes/new_content.hpp"

#include "net/capture/messages/comparable.hpp"
#include "net/capture/records/span_records.hpp"
#include "schema/types/ref.hpp"

#include <algorithm>

namespace whence::net::capture {

using schema::RecordType;

NewContent::Content const& NewContent::content() const {
  if (content_) return *content_;
  auto& made = content_.emplace();
  for (auto const& [name, span] : all_.fresh) {
    if (span->kind == Kind::tool && !span->call_id.empty()) made.tools[span->call_id].insert(name);
    if (span->kind != Kind::call) continue;
    auto const& facts = *all_.find(name);
    if (!facts.answer_hash.empty() && !outer_.is_outer(name)) {
      Place const place{facts.start, name};
      made.by_answer[facts.answer_hash].push_back(place);
      made.of_conversation[{facts.answer_hash, around_.belonging_of(facts, name).conversation}].push_back(place);
    }
    if (span->answer.empty()) continue;
    std::pair const answer{answer_hash(all_.key, span->answer), comparable(span->answer).telling};
    for (auto const& unit : answer_units(all_.key, span->answer, all_.persons_in(name.trace))) {
      made.answers.emplace(schema::format_ref(RecordType::context_unit, unit), answer);
    }
  }
  for (auto& [hash, places] : made.by_answer) std::ranges::sort(places);
  for (auto& [key, places] : made.of_conversation) std::ranges::sort(places);
  return made;
}

void NewContent::note_answers(Causes const& refs, Prompt& prompt) const {
  auto const& answers = content().answers;
  for (auto const& [ref, basis] : refs) {
    if (auto const found = answers.find(ref); found != answers.end()) prompt.answers.insert(found->second);
  }
}

}  // namespace whence::net::capture
