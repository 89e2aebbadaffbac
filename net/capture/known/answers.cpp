#include "net/capture/known/answers.hpp"

#include "net/capture/known/known_records.hpp"
#include "net/capture/messages/comparable.hpp"
#include "net/capture/messages/joined.hpp"
#include "net/capture/trace/refs.hpp"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <vector>

namespace whence::net::capture {

std::string const& Answers::hash_of(std::string const& trace, std::string const& span, SpanFacts const& facts) const {
  if (!facts.answer_hash.empty()) return facts.answer_hash;
  auto const [at, is_new] = logged_.try_emplace(trace);
  if (is_new) {
    std::map<std::string_view, std::vector<LogFacts const*>> said;
    for (auto const& [id, log] : all_.states.at(trace).logs) {
      if (log.is_output) said[log.span].push_back(&log);
    }
    for (auto& [of, logs] : said) {
      std::ranges::sort(logs, {}, [](LogFacts const* log) { return std::tuple{log->time, log->place, log->id}; });
      std::vector<Message> output;
      output.reserve(logs.size());
      for (auto const* const log : logs) output.push_back(*log->message);
      auto text = joined_answer(output);
      if (!text.empty()) at->second.emplace(of, Logged{.text = text, .hash = answer_hash(all_.key, text)});
    }
  }
  static std::string const none;
  auto const found = at->second.find(span);
  return found == at->second.end() ? none : found->second.hash;
}

Result<std::string> Answers::text_of(SpanName const& name) const {
  auto const fresh = all_.fresh.find(name);
  if (fresh != all_.fresh.end() && !fresh->second->answer.empty()) return fresh->second->answer;
  if (auto const trace = logged_.find(name.trace); trace != logged_.end()) {
    if (auto const logged = trace->second.find(name.span); logged != trace->second.end()) return logged->second.text;
  }
  auto const response = read_response(all_, *record_ref(name, Kind::call));
  if (!response) return response.error();
  if (!*response) return std::string{};
  return kept_text(all_, (*response)->content, (*response)->content_blob);
}

}  // namespace whence::net::capture
