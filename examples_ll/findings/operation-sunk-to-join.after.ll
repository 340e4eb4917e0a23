; operation-sunk-to-join.ll after LLVM 22.1's `opt -passes=gvn-sink`, as it prints it.
;
; RUN: convcheck verify %s

; Function Attrs: convergent
define i32 @main(i32 %x) #0 {
entry:
  %all = call token @llvm.experimental.convergence.entry()
  %some = icmp eq i32 %x, 0
  br i1 %some, label %then, label %else

then:                                             ; preds = %entry
  br label %join

else:                                             ; preds = %entry
  br label %join

join:                                             ; preds = %else, %then
  call void @note(i32 %x) [ "convergencectrl"(token %all) ]
  ret i32 %x
}

; Function Attrs: convergent
declare void @note(i32) #0

; Function Attrs: convergent nocallback nofree nosync nounwind willreturn memory(none)
declare token @llvm.experimental.convergence.entry() #1

attributes #0 = { convergent }
attributes #1 = { convergent nocallback nofree nosync nounwind willreturn memory(none) }
