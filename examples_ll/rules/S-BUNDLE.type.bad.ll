; RUN: not convcheck verify %s | FileCheck %s

; A number is no token, and an empty bundle has none.

; CHECK: error[S-BUNDLE]
; CHECK: error[S-BUNDLE]
; CHECK: {{^}}2 errors in 1 function

define void @no_token(i32 %lanes) {
  call void @barrier() [ "convergencectrl"(i32 %lanes) ]
  call void @barrier() [ "convergencectrl"() ]
  ret void
}

declare void @barrier() convergent
