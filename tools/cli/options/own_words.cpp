// Paths to flags.

#include "tools/cli/options/own_words.hpp"

#include "tools/cli/options/param_flags.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/json/array.hpp>

namespace whence::tools {
namespace {

namespace json = boost::json;

constexpr std::string_view record_prefix = "record ";

std::vector<std::string_view> segments_of(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    path.remove_prefix(1);
    auto const end = std::min(path.find('/'), path.size());
    parts.push_back(path.substr(0, end));
    path.remove_prefix(end);
  }
  return parts;
}

bool is_place_number(std::string_view text) {
  return !text.empty() && text.size() < 10 &&
         std::ranges::all_of(text, [](unsigned char each) { return std::isdigit(each) != 0; });
}

/// Whether a line begins with a path; of "/refs/1: no such node" that is "/refs/1".
std::string_view path_in(std::string_view line) {
  auto const end = line.find(": ");
  bool const is_path = line.size() > 1 && line[0] == '/' && std::isalpha(static_cast<unsigned char>(line[1])) != 0 &&
                       end != std::string_view::npos && line.substr(0, end).find(' ') == std::string_view::npos;
  return is_path ? line.substr(0, end) : std::string_view{};
}

class Words {
 public:
  Words(CLI::App const& verb, std::span<OwnWord const> words) : verb_{verb}, words_{words} {}

  /// The params that a text names within backquotes as flags: `force` is `--force`.
  [[nodiscard]] std::string with_flags(std::string_view text) const {
    std::string named;
    for (;;) {
      auto const begin = text.find('`');
      auto const end = begin == std::string_view::npos ? begin : text.find('`', begin + 1);
      if (end == std::string_view::npos) return named.append(text);
      auto const name = text.substr(begin + 1, end - begin - 1);
      auto const flag = flag_name(name);
      bool const is_param = std::ranges::all_of(name, [](unsigned char c) { return std::isalpha(c) != 0 || c == '_'; });
      named.append(text.substr(0, begin + 1));
      named.append(is_param && verb_.get_option_no_throw(flag) != nullptr ? std::string_view(flag) : name).append("`");
      text.remove_prefix(end + 1);
    }
  }

  /// Nothing where the verb takes no such thing.
  [[nodiscard]] std::optional<std::string> find(std::string_view path) const {
    if (path.empty() || path[0] != '/') return std::nullopt;
    auto parts = segments_of(path);
    // Params that hold what flags of their own say.
    if (parts.size() > 1 && parts[0] == "match") parts.erase(parts.begin());
    if (parts.size() > 2 && parts[0] == "select" && parts[1] == "params") {
      if (has_value("--select")) return std::nullopt;
      parts.erase(parts.begin(), parts.begin() + 2);
    }
    if (parts.size() > 1 && parts[0] == "order") return parts[1] == "desc" ? "--desc" : "--order-by";
    auto words = name_of(parts[0]);
    if (!words) return std::nullopt;
    for (std::size_t i = 1; i < parts.size(); ++i) {
      if (!is_place_number(parts[i])) {
        words->append(" ").append(parts[i]);
      } else if (parts[i] != "0") {
        *words += ", number " + std::to_string(std::stoul(std::string(parts[i])) + 1);
      }
    }
    return words;
  }

 private:
  [[nodiscard]] bool has_value(std::string const& flag) const {
    auto const* const option = verb_.get_option_no_throw(flag);
    return option != nullptr && option->count() > 0;
  }

  [[nodiscard]] std::optional<std::string> name_of(std::string_view param) const {
    auto const word = std::ranges::find(words_, param, &OwnWord::param);
    if (word != words_.end()) return std::string(word->word);
    auto const flag = flag_name(param);
    if (verb_.get_option_no_throw(flag) != nullptr) return flag;
    auto const* const argument = verb_.get_option_no_throw(std::string(param));
    if (argument != nullptr && argument->get_positional()) return argument->get_type_name();
    if (param != "ref") return std::nullopt;
    for (auto const* const end : {"--ancestors", "--descendants"}) {  // of what is exported
      if (has_value(end)) return end;
    }
    return std::nullopt;
  }

  CLI::App const& verb_;
  std::span<OwnWord const> words_;
};

json::array* find_violation_list(json::value& rpc_error) {
  auto* const error = rpc_error.if_object();
  auto* const data = error != nullptr ? error->if_contains("data") : nullptr;
  auto* const members = data != nullptr ? data->if_object() : nullptr;
  auto* const list = members != nullptr ? members->if_contains("errors") : nullptr;
  return list != nullptr ? list->if_array() : nullptr;
}

/// A violation of one of several items of a param has their number twice: in its path and beside it. One of a record
/// has it beside its path alone, and is about no flag.
void reword(json::object& violation, Words const& words) {
  auto* const message = violation.if_contains("message");
  if (message != nullptr && message->is_string()) *message = words.with_flags(std::string_view(message->get_string()));
  auto* const path = violation.if_contains("path");
  if (path == nullptr || !path->is_string()) return;
  std::string const text{path->get_string()};
  if (auto const* const index = violation.if_contains("index"); index != nullptr && index->is_number()) {
    auto const parts = segments_of(text);
    if (parts.size() != 2 || parts[1] != std::to_string(index->to_number<std::uint64_t>())) return;
  }
  auto own_words = words.find(text);
  if (!own_words) return;
  *path = *own_words;
  violation.erase("index");
}

}  // namespace

CallError in_own_words(CallError error, CLI::App const& verb, std::span<OwnWord const> words) {
  Words const own(verb, words);
  error.message = own.with_flags(error.message);
  std::string_view const message = error.message;
  if (auto const path = path_in(message); !path.empty()) {
    if (auto own_words = own.find(path)) error.message = *own_words + std::string(message.substr(path.size()));
  }
  if (auto* const list = find_violation_list(error.rpc_error)) {
    for (auto& each : *list) {
      if (each.is_object()) reword(each.get_object(), own);
    }
  }
  return error;
}

CallError of_own_record(CallError error, CLI::App const& verb, std::span<OwnWord const> words) {
  if (error.message.starts_with(record_prefix)) {
    auto const path = error.message.find(" /");
    if (path != std::string::npos) error.message.erase(0, path + 1);
  }
  if (auto* const list = find_violation_list(error.rpc_error)) {
    for (auto& each : *list) {
      if (each.is_object()) each.get_object().erase("index");
    }
  }
  return in_own_words(std::move(error), verb, words);
}

}  // namespace whence::tools
