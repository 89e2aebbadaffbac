#pragma once
// Whose a connection is: the databases that its token opens.

#include "net/bolt/failure.hpp"
#include "net/bolt/packstream/value.hpp"
#include "net/http/namespaces.hpp"
#include "net/http/token.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace whence::net::bolt {

/// A database is a namespace. LOGON names none, so a token is looked up in all of them; a later statement may name any
/// that the token opens. The store at the root has the names `whence` and, since unchanged programs ask for it,
/// `neo4j`.
class Login {
 public:
  /// `all` outlives it. With `only`, a path of that namespace was asked for, and nothing else is there.
  Login(Namespaces const& all, Namespace const* only) : all_{all}, only_{only} {}

  /// Takes the token of HELLO or LOGON: its `scheme` is `basic` (the token is the password, whoever the user),
  /// `bearer`, or `none`. Fails with `unauthorized`. Without tokens on the server everybody may enter.
  [[nodiscard]] Outcome<void> enter(Map const& token);
  void leave() { grants_.clear(); }

  /// Whether each token that was used is still one with the same role.
  [[nodiscard]] bool still_holds() const;

  /// The database of that name; of no name the home database, which is the root's or the only one. Fails with
  /// `database_not_found`, also for one that this token does not open.
  [[nodiscard]] Outcome<Namespace const*> find(std::string_view name) const;

  /// What a client calls a database.
  [[nodiscard]] static std::string name_of(Namespace const& where);

 private:
  struct Granted {
    Namespace const* where;
    Grant grant;
  };
  void admit(Namespace const& where, std::string_view secret);

  Namespaces const& all_;
  Namespace const* only_;
  std::vector<Granted> grants_;
};

}  // namespace whence::net::bolt
