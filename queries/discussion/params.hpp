#pragma once
// The params of the methods about discussions, and their members on the wire.

#include "schema/base/fields.hpp"
#include "schema/records/discussion/discussion.hpp"

#include <optional>
#include <string>
#include <vector>

namespace whence::queries {

struct DiscussionParams {
  std::string user_id;
  std::string discussion_id;
  std::optional<schema::Persona> persona = {};  ///< changes nothing: all personas see the same
};

struct DiscussionGetParams {
  std::string user_id;
  std::string discussion_id;
};

/// A file a prompt ends with. It makes no node.
struct PromptFile {
  std::string name = {};
  std::string content = {};
};

struct DiscussionPromptParams {
  std::string user_id;
  std::string discussion_id;
  std::optional<schema::Persona> persona = {};  ///< changes nothing
  std::optional<std::vector<PromptFile>> files = {};
};

}  // namespace whence::queries

namespace whence::schema {

template <>
struct Describe<queries::DiscussionParams> {
  using T = queries::DiscussionParams;
  static constexpr auto fields = std::tuple{
      field("userId", &T::user_id, Presence::required, rules::any(), "Whose discussion it is."),
      field("discussionId", &T::discussion_id, Presence::required, rules::any(), "Which of the user's."),
      field("persona", &T::persona, Presence::optional, rules::any(), "Who is to speak. All see the same."),
  };
};

template <>
struct Describe<queries::DiscussionGetParams> {
  using T = queries::DiscussionGetParams;
  static constexpr auto fields = std::tuple{
      field("userId", &T::user_id, Presence::required, rules::any(), "Whose discussion it is."),
      field("discussionId", &T::discussion_id, Presence::required, rules::any(), "Which of the user's."),
  };
};

template <>
struct Describe<queries::PromptFile> {
  using T = queries::PromptFile;
  static constexpr auto fields = std::tuple{
      field("name", &T::name, Presence::required, rules::any(), "What it is called."),
      field("content", &T::content, Presence::required, rules::any(), "Its text, shown as it is."),
  };
};

template <>
struct Describe<queries::DiscussionPromptParams> {
  using T = queries::DiscussionPromptParams;
  static constexpr auto fields = std::tuple{
      field("userId", &T::user_id, Presence::required, rules::any(), "Whose discussion it is."),
      field("discussionId", &T::discussion_id, Presence::required, rules::any(), "Which of the user's."),
      field("persona", &T::persona, Presence::optional, rules::any(), "Who is to speak. All see the same."),
      field("files", &T::files, Presence::optional, rules::any(), "Texts the prompt ends with."),
  };
};

}  // namespace whence::schema
