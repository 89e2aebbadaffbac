#pragma once
// The prompt of a call that is made again: the old one without what is left out, and with new answers in the place of
// old ones.

#include "tools/cli/what_if/model_client.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace whence::tools {

/// One text in the place of another; empty: it is left out.
struct TextEdit {
  std::string before;
  std::string after;
};

/// What is known while a plan is carried out, by ref.
struct ReplayTexts {
  std::map<std::string, std::optional<std::string>> texts = {};  ///< of inputs, as they were; nothing: not known
  std::map<std::string, std::string> answers = {};               ///< new ones, of calls that were made again
  std::vector<TextEdit> edits =
      {};  ///< of all that was left out, mended and asked again so far, also what no call names

  [[nodiscard]] std::optional<std::string> text_of(std::string const& ref) const;
};

struct ReplayPrompt {
  std::vector<ModelMessage> messages = {};
  bool is_as_before = false;             ///< nothing in it is different: it need not be asked
  std::vector<std::string> unsure = {};  ///< inputs that would be different too, it is not known how: as they were
  std::string why_not = {};              ///< not empty: why it cannot be made
};

/// What a record says, where it says something.
[[nodiscard]] std::optional<std::string> text_in_record(boost::json::object const& record);

/// Applies edits to a text in one pass, the longer of two first; whole words alone are replaced.
[[nodiscard]] std::string edited(std::string const& text, std::vector<TextEdit> edits);

/// The prompt of `call`, an item of `impact.replay_plan` with its record. Where the record has its prompt, that is
/// changed, and each input that goes or is new must be in it; else it is made of the inputs and the question.
[[nodiscard]] ReplayPrompt prompt_of(boost::json::object const& call, ReplayTexts const& known);

}  // namespace whence::tools
