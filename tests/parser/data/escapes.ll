; Escapes that LLVM reads and then prints so that it cannot read them again.
declare void @strings(i32 "a\22b"="c\\d", ptr "\41"="\0A") "\22"
attributes #0 = { "a\22b"="\\" }
