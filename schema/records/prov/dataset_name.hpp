#pragma once
// The one spelling of what names a dataset of OpenLineage: its URI is its namespace, a slash and its name
// (openlineage.io/docs/spec/naming). Documents that were loaded from it name it by the same URI.

#include "schema/encoding/percent.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace whence::schema {

/// `uri` with one spelling of what connectors spell in several ways: `s3a` and `s3n` are `s3`, `gcs` is `gs`, `abfs` is
/// `abfss`, `wasb` is `wasbs`, and `file:/PATH`, `file://localhost/PATH` and `dbfs:/PATH` have three slashes.
[[nodiscard]] inline std::string source_uri(std::string_view uri) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> others = {{{"s3a://", "s3://"},
                                                                                    {"s3n://", "s3://"},
                                                                                    {"gcs://", "gs://"},
                                                                                    {"abfs://", "abfss://"},
                                                                                    {"wasb://", "wasbs://"},
                                                                                    {"file://localhost/", "file:///"}}};
  for (auto const& [other, usual] : others) {
    if (uri.starts_with(other)) return std::string(usual) + std::string(uri.substr(other.size()));
  }
  for (std::string_view const scheme : {"file:/", "dbfs:/"}) {
    bool const has_one = uri.starts_with(scheme) && uri.size() > scheme.size() && uri[scheme.size()] != '/';
    if (has_one) return std::string(scheme) + "//" + std::string(uri.substr(scheme.size()));
  }
  return std::string(uri);
}

/// The URIs by which a dataset may be known that a document names as `uri`, each once: as it is, in its one spelling,
/// and that without escapes, since datasets are named by paths that have none.
[[nodiscard]] inline std::vector<std::string> source_uris(std::string_view uri) {
  std::vector<std::string> uris{std::string(uri)};
  auto const usual = source_uri(uri);
  for (auto const& each : {usual, percent_decoded_leniently(usual)}) {
    if (std::ranges::find(uris, each) == uris.end()) uris.push_back(each);
  }
  return uris;
}

/// A namespace and a name in the one spelling: without a slash between them. File systems have paths that begin with a
/// slash, which is the slash behind the namespace; `file` is the namespace of `file:///PATH`. The root of a store is
/// named `/`.
[[nodiscard]] inline std::pair<std::string, std::string> dataset_name(std::string space, std::string name) {
  for (std::string_view const scheme : {"file", "dbfs"}) {
    if (space == scheme || space == std::string(scheme) + ":") space = std::string(scheme) + "://";
  }
  space = source_uri(space);
  bool const is_uri = space.find("://") != std::string::npos;
  if (is_uri && space.ends_with('/') && !space.ends_with("://")) space.pop_back();
  if (is_uri && name.size() > 1 && name.starts_with('/')) name.erase(0, 1);
  if (is_uri && name.empty()) name = "/";
  return {std::move(space), std::move(name)};
}

[[nodiscard]] inline std::string dataset_uri(std::string_view space, std::string_view name) {
  return std::string(space) + "/" + (name == "/" ? std::string{} : std::string(name));
}

}  // namespace whence::schema
