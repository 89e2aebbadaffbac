#pragma once
// Whose a connection is: the databases that its token opens.

#include "net/access/claims.hpp"
#include "net/access/grant.hpp"
#include "net/bolt/packstream/failure.hpp"
#include "net/bolt/packstream/value.hpp"
#include "net/serving/namespaces.hpp"
#include "net/serving/token.hpp"
#include "queries/cypher/state/run_options.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace whence::net::bolt {

/// What a connection says of its client beside a token, and the role of a certificate that no line names.
struct Shown {
  Claims claims = {};
  std::optional<Role> certificate_role = {};
};

/// A database is a namespace. LOGON names none, so a token is looked up in all of them; a later statement may name any
/// that the token opens. The store at the root has the names `whence` and, since unchanged programs ask for it,
/// `neo4j`.
class Login {
 public:
  /// `all` outlives it. With `only`, a path of that namespace was asked for, and nothing else is there.
  Login(Namespaces const& all, Namespace const* only, Shown shown = {})
      : all_{all}, only_{only}, shown_{std::move(shown)} {}

  /// Takes the token of HELLO or LOGON: its `scheme` is `basic` (the token is the password, with any user),
  /// `bearer`, or `none`. A person whom a proxy names needs none, nor does a certificate. Fails with `unauthorized`, or
  /// with `forbidden` where no database may be asked with it. Without tokens on the server everybody may enter.
  [[nodiscard]] Outcome<void> enter(Map const& token);
  void leave() {
    grants_.clear();
    caller_.reset();
  }

  /// Whether everything that was used holds as it did.
  [[nodiscard]] bool still_holds() const;
  /// Whether it may end by itself.
  [[nodiscard]] bool has_end() const;
  /// Who it is, for the log; after a failure what was shown.
  [[nodiscard]] Grant const& who() const noexcept { return who_; }

  /// The database of that name; of no name the home database, which is the root's or the only one. `system`, where no
  /// database has that name, is the home database or else the first: what tools ask there is the same everywhere. Fails
  /// with `database_not_found`, also for one that this token does not open.
  [[nodiscard]] Outcome<Namespace const*> find(std::string_view name) const;

  /// Who asks, and the databases that it may name.
  [[nodiscard]] std::shared_ptr<queries::cypher::Caller const> const& caller() const noexcept { return caller_; }

  /// What a client calls a database.
  [[nodiscard]] static std::string name_of(Namespace const& where);

 private:
  struct Granted {
    Namespace const* where;
    Grant grant;
  };
  void note_caller();
  void admit(Namespace const& where, std::string_view secret);
  [[nodiscard]] Grant find_grant(Namespace const& where, std::string_view secret) const;

  Namespaces const& all_;
  Namespace const* only_;
  Shown const shown_;
  std::vector<Granted> grants_;
  Grant who_;
  std::shared_ptr<queries::cypher::Caller const> caller_;
};

}  // namespace whence::net::bolt
